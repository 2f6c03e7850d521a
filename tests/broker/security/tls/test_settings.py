"""Combinations of keys that contradict each other."""

from __future__ import annotations

import pytest

from broker.common.errors import StartupError
from broker.config.broker_config import parse_config
from broker.security.tls.settings import TlsSettings


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("keystore.type=PEM keystore.location=a keystore.key=b", "not both"),
        ("keystore.key=b keystore.certificate.chain=c", "need ssl.keystore.type=PEM"),
        ("keystore.type=PEM keystore.key=b", "without ssl.keystore.certificate.chain"),
        ("keystore.type=PEM keystore.certificate.chain=b", "without ssl.keystore.key"),
        ("keystore.type=PEM keystore.location=a keystore.password=p", "is not allowed"),
        ("keystore.password=p", "without ssl.keystore.location"),
        ("keystore.location=a", "ssl.keystore.password is not set; the key store a needs it"),
        ("truststore.type=PEM truststore.location=a truststore.certificates=b", "not both"),
        ("truststore.certificates=b", "needs ssl.truststore.type=PEM, and it is JKS"),
        ("truststore.type=PEM truststore.location=a truststore.password=p", "is not allowed"),
        ("truststore.password=p", "without ssl.truststore.location"),
    ],
)
def test_contradictory_keys_are_refused(given: str, reason: str) -> None:
    """The message names the listener and the keys."""
    pairs = (setting.split("=") for setting in given.split())
    config = parse_config({f"listener.name.secure.ssl.{key}": value for key, value in pairs})

    with pytest.raises(StartupError) as raised:
        TlsSettings.of(config, "SECURE")

    assert str(raised.value).startswith("listener SECURE: ")
    assert reason in str(raised.value)


def test_secrets_are_not_shown() -> None:
    """Neither passwords nor keys are part of the text of the settings."""
    given = {
        "ssl.keystore.type": "PEM",
        "ssl.keystore.key": "hush-key",
        "ssl.keystore.certificate.chain": "hush-chain",
        "ssl.key.password": "hush-password",
    }

    assert "hush" not in repr(TlsSettings.of(parse_config(given), "SECURE"))


@pytest.mark.parametrize(
    ("settings", "client_auth"),
    [
        ({"ssl.client.auth": "required"}, {"SSL": "required", "SASL_SSL": "none"}),
        (
            {"ssl.client.auth": "required", "listener.name.sasl_ssl.ssl.client.auth": "requested"},
            {"SSL": "required", "SASL_SSL": "requested"},
        ),
    ],
)
def test_clients_that_log_in_need_no_certificate(
    settings: dict[str, str], client_auth: dict[str, str]
) -> None:
    """Unless ssl.client.auth is set for their listener."""
    config = parse_config(settings)

    assert {name: TlsSettings.of(config, name).client_auth for name in client_auth} == client_auth
