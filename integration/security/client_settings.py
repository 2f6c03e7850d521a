"""The settings of client libraries for each way to connect to a secured node."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from integration.security.certificates import certificates
from integration.security.sasl import OAUTHBEARER, PLAIN, SHA_256, SHA_512, unsecured_token
from integration.security.tls_socket import client_context

SCRAM_USER, SCRAM_PASSWORD = "scram-user", "word-of-scram-user"
PLAIN_USER = "user-000"
BEARER = "bearer-user"

_MODULES = {
    PLAIN: "plain.PlainLoginModule",
    SHA_256: "scram.ScramLoginModule",
    SHA_512: "scram.ScramLoginModule",
}


@dataclass(frozen=True)
class Way:
    """How a client connects: the listener, its protocol, and the login."""

    listener: str
    protocol: str
    mechanism: str | None = None
    user: str = ""
    password: str = ""
    has_certificate: bool = False
    is_token: bool = False

    def __str__(self) -> str:
        words = (self.protocol, self.mechanism, "mTLS" if self.has_certificate else "")
        return "-".join(word for word in words if word)

    @property
    def has_tls(self) -> bool:
        """Whether the connection is encrypted."""
        return self.protocol in ("SSL", "SASL_SSL")


def _logins(listener: str, protocol: str) -> list[Way]:
    return [
        Way(listener, protocol, PLAIN, PLAIN_USER, f"word-of-{PLAIN_USER}"),
        Way(listener, protocol, SHA_256, SCRAM_USER, SCRAM_PASSWORD),
        Way(listener, protocol, SHA_512, SCRAM_USER, SCRAM_PASSWORD),
        Way(listener, protocol, OAUTHBEARER, BEARER),
    ]


WAYS = [
    Way("PLAINTEXT", "PLAINTEXT"),
    Way("TLS", "SSL"),
    Way("MUTUAL", "SSL", has_certificate=True),
    *_logins("SASL", "SASL_PLAINTEXT"),
    *_logins("SASLTLS", "SASL_SSL"),
]


def for_confluent_kafka(way: Way) -> dict[str, Any]:
    """The settings of librdkafka."""
    settings: dict[str, Any] = {"security.protocol": way.protocol.lower()}
    if way.has_tls:
        settings["ssl.ca.location"] = str(certificates().authority.path)
    if way.has_certificate:
        path = str(certificates().client.path)
        settings |= {"ssl.certificate.location": path, "ssl.key.location": path}
    if way.mechanism == OAUTHBEARER:
        settings |= {
            "sasl.mechanism": OAUTHBEARER,
            "enable.sasl.oauthbearer.unsecure.jwt": True,
            "sasl.oauthbearer.config": f"principal={way.user}",
        }
    elif way.mechanism is not None:
        settings |= {
            "sasl.mechanism": way.mechanism,
            "sasl.username": way.user,
            "sasl.password": way.password,
        }
    return settings


def for_kafka_python(way: Way) -> dict[str, Any]:
    """The settings of kafka-python."""
    settings = _by_underscores(way)
    if way.has_tls:
        settings["ssl_cafile"] = str(certificates().authority.path)
    if way.has_certificate:
        path = str(certificates().client.path)
        settings |= {"ssl_certfile": path, "ssl_keyfile": path}
    return settings


def for_aiokafka(way: Way) -> dict[str, Any]:
    """The settings of aiokafka."""
    settings = _by_underscores(way)
    if way.has_tls:
        certificate = certificates().client.path if way.has_certificate else None
        settings["ssl_context"] = client_context(certificates().authority.path, certificate)
    return settings


def _by_underscores(way: Way) -> dict[str, Any]:
    settings: dict[str, Any] = {"security_protocol": way.protocol}
    if way.mechanism is not None:
        settings["sasl_mechanism"] = way.mechanism
    if way.password:
        settings |= {"sasl_plain_username": way.user, "sasl_plain_password": way.password}
    return settings


def for_java(way: Way) -> dict[str, str]:
    """The properties of the Java client."""
    settings = {"security.protocol": way.protocol}
    if way.has_tls:
        settings["ssl.truststore.type"] = "PEM"
        settings["ssl.truststore.location"] = str(certificates().authority.path)
    if way.has_certificate:
        settings["ssl.keystore.type"] = "PEM"
        settings["ssl.keystore.location"] = str(certificates().client.path)
    if way.mechanism is not None:
        settings["sasl.mechanism"] = way.mechanism
        settings["sasl.jaas.config"] = _jaas(way)
    return settings


def write_java(way: Way, path: Path, **others: str) -> Path:
    """Write the properties of the Java client to a file, and return it."""
    settings = {**for_java(way), **{key.replace("_", "."): value for key, value in others.items()}}
    path.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))
    return path


def bearer_token(way: Way) -> str:
    """A token for the providers of kafka-python and aiokafka."""
    return unsecured_token(way.user)


def _jaas(way: Way) -> str:
    package = "org.apache.kafka.common.security"
    if way.mechanism == OAUTHBEARER:
        module = f"{package}.oauthbearer.OAuthBearerLoginModule"
        return f'{module} required unsecuredLoginStringClaim_sub="{way.user}";'
    assert way.mechanism is not None
    token = ' tokenauth="true"' if way.is_token else ""
    named = f'username="{way.user}" password="{way.password}"{token}'
    return f"{package}.{_MODULES[way.mechanism]} required {named};"
