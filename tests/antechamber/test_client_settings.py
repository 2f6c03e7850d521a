"""The settings of clients; integration/ connects the clients with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from antechamber.client_settings import client_settings

FILES = {
    name: Path(f"/tls/{name}.pem")
    for name in ("ca", "client_certificate", "client_key", "client_key_store")
}


@pytest.mark.parametrize(
    ("library", "settings"),
    [
        (
            "confluent-kafka",
            {
                "bootstrap.servers": "h:1,h:2",
                "security.protocol": "ssl",
                "ssl.ca.location": "/tls/ca.pem",
                "ssl.certificate.location": "/tls/client_certificate.pem",
                "ssl.key.location": "/tls/client_key.pem",
            },
        ),
        (
            "kafka-python",
            {
                "bootstrap_servers": ["h:1", "h:2"],
                "security_protocol": "SSL",
                "ssl_cafile": "/tls/ca.pem",
                "ssl_certfile": "/tls/client_certificate.pem",
                "ssl_keyfile": "/tls/client_key.pem",
            },
        ),
        (
            "java",
            {
                "bootstrap.servers": "h:1,h:2",
                "security.protocol": "SSL",
                "ssl.truststore.type": "PEM",
                "ssl.truststore.location": "/tls/ca.pem",
                "ssl.keystore.type": "PEM",
                "ssl.keystore.location": "/tls/client_key_store.pem",
            },
        ),
    ],
)
def test_a_client_with_a_certificate_has_all_files(
    library: str, settings: dict[str, object]
) -> None:
    """The names are those of the library."""
    assert client_settings(library, "h:1,h:2", FILES, certificate=True) == settings


@pytest.mark.parametrize(
    "library", ["confluent-kafka", "kafka-python", "aiokafka", "librdkafka", "java"]
)
def test_without_tls_only_the_address_is_needed(library: str) -> None:
    """All libraries have one setting for it."""
    assert len(client_settings(library, "h:1", {})) == 1


def test_an_unknown_library_is_refused() -> None:
    """The message lists those that are known."""
    with pytest.raises(ValueError, match="'sarama' is not one of confluent-kafka, kafka-python"):
        client_settings("sarama", "h:1", {})


def test_a_certificate_without_tls_is_refused() -> None:
    """The cluster has made no files."""
    with pytest.raises(ValueError, match="needs TLS"):
        client_settings("java", "h:1", {}, certificate=True)
