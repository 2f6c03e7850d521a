"""The settings with which each client library connects to a cluster."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from antechamber.unknown_words import unknown_word

Files = Mapping[str, Path]


def client_settings(
    library: str, bootstrap: str, files: Files, *, certificate: bool = False
) -> dict[str, Any]:
    """The settings for *library*; *files* are those of ``--tls``, and empty without TLS.

    With *certificate*, the client has a certificate. Raises `ValueError`.
    """
    settings = _LIBRARIES.get(library)
    if settings is None:
        raise ValueError(unknown_word(library, _LIBRARIES))
    if certificate and not files:
        raise ValueError("a client certificate needs TLS: start the cluster with tls=True")
    return settings(bootstrap, files, certificate)


def _librdkafka(bootstrap: str, files: Files, certificate: bool) -> dict[str, Any]:
    settings = {"bootstrap.servers": bootstrap}
    if files:
        settings |= {"security.protocol": "ssl", "ssl.ca.location": str(files["ca"])}
    if certificate:
        settings |= {
            "ssl.certificate.location": str(files["client_certificate"]),
            "ssl.key.location": str(files["client_key"]),
        }
    return settings


def _java(bootstrap: str, files: Files, certificate: bool) -> dict[str, Any]:
    settings = {"bootstrap.servers": bootstrap}
    if files:
        settings |= {
            "security.protocol": "SSL",
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(files["ca"]),
        }
    if certificate:
        settings |= {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(files["client_key_store"]),
        }
    return settings


def _kafka_python(bootstrap: str, files: Files, certificate: bool) -> dict[str, Any]:
    settings: dict[str, Any] = {"bootstrap_servers": bootstrap.split(",")}
    if files:
        settings |= {"security_protocol": "SSL", "ssl_cafile": str(files["ca"])}
    if certificate:
        settings |= {
            "ssl_certfile": str(files["client_certificate"]),
            "ssl_keyfile": str(files["client_key"]),
        }
    return settings


def _aiokafka(bootstrap: str, files: Files, certificate: bool) -> dict[str, Any]:
    settings: dict[str, Any] = {"bootstrap_servers": bootstrap}
    if files:
        context = ssl.create_default_context(cafile=str(files["ca"]))
        if certificate:
            context.load_cert_chain(files["client_certificate"], files["client_key"])
        settings |= {"security_protocol": "SSL", "ssl_context": context}
    return settings


_LIBRARIES: Mapping[str, Callable[[str, Files, bool], dict[str, Any]]] = MappingProxyType(
    {
        "confluent-kafka": _librdkafka,
        "kafka-python": _kafka_python,
        "aiokafka": _aiokafka,
        "librdkafka": _librdkafka,
        "java": _java,
    }
)
