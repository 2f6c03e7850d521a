"""The settings of TLS for one listener, from the keys that begin with ``ssl.``."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from broker.common.errors import StartupError
from broker.config import Config
from broker.security.listeners.endpoints import ADMIN_HTTP, protocol_of
from broker.security.session import SecurityProtocol
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class KeyStoreSettings:
    """The key and certificate chain of this side: a file, or both as PEM texts.

    The values of ``ssl.keystore.*`` and ``ssl.key.password``; None if not set.
    """

    type: str
    location: str | None
    password: str | None = field(repr=False)
    key: str | None = field(repr=False)
    certificate_chain: str | None = field(repr=False)
    key_password: str | None = field(repr=False)

    @property
    def is_given(self) -> bool:
        """Whether there is a key store."""
        return self.location is not None or self.key is not None


@dataclass(frozen=True, slots=True)
class TrustStoreSettings:
    """The certificates that this side trusts: a file, or a PEM text.

    The values of ``ssl.truststore.*``; None if not set.
    """

    type: str
    location: str | None
    password: str | None = field(repr=False)
    certificates: str | None = field(repr=False)

    @property
    def is_given(self) -> bool:
        """Whether there is a trust store; without one the system's certificates are trusted."""
        return self.location is not None or self.certificates is not None


@dataclass(frozen=True, slots=True)
class TlsSettings:
    """All settings of TLS for a listener."""

    listener: str
    key_store: KeyStoreSettings
    trust_store: TrustStoreSettings
    client_auth: str
    enabled_protocols: tuple[str, ...]
    cipher_suites: tuple[str, ...]
    endpoint_identification_algorithm: str

    @classmethod
    def of(cls, config: Config, listener: str) -> TlsSettings:
        """The settings of a listener; raises `StartupError` if they contradict each other."""

        def value(key: str) -> Any:
            return config.for_listener(listener, key)

        settings = cls(
            listener=listener,
            key_store=KeyStoreSettings(
                type=value("ssl.keystore.type").upper(),
                location=value("ssl.keystore.location"),
                password=value("ssl.keystore.password"),
                key=value("ssl.keystore.key"),
                certificate_chain=value("ssl.keystore.certificate.chain"),
                key_password=value("ssl.key.password"),
            ),
            trust_store=TrustStoreSettings(
                type=value("ssl.truststore.type").upper(),
                location=value("ssl.truststore.location"),
                password=value("ssl.truststore.password"),
                certificates=value("ssl.truststore.certificates"),
            ),
            client_auth=_client_auth(config, listener),
            enabled_protocols=value("ssl.enabled.protocols"),
            cipher_suites=value("ssl.cipher.suites"),
            endpoint_identification_algorithm=value(
                "ssl.endpoint.identification.algorithm"
            ).lower(),
        )
        reason = _contradiction(settings.key_store) or _contradiction_of_trust(settings.trust_store)
        if reason is not None:
            raise StartupError(f"listener {listener}: {reason}")
        return settings


def _client_auth(config: Config, listener: str) -> Any:
    """The plain key does not apply where clients log in: SASL_SSL, and the admin interface."""
    if listener == ADMIN_HTTP or protocol_of(config, listener) is SecurityProtocol.SASL_SSL:
        return config.for_listener_alone(listener, "ssl.client.auth")
    return config.for_listener(listener, "ssl.client.auth")


def _contradiction(store: KeyStoreSettings) -> str | None:
    """What is wrong with the combination of the keys of a key store."""
    if store.key is not None or store.certificate_chain is not None:
        if store.location is not None:
            return "give either ssl.keystore.location or ssl.keystore.key, not both"
        if store.type != "PEM":
            return (
                "ssl.keystore.key and ssl.keystore.certificate.chain need ssl.keystore.type=PEM, "
                f"and it is {store.type}"
            )
        if store.key is None:
            return "ssl.keystore.certificate.chain is set without ssl.keystore.key; give both"
        if store.certificate_chain is None:
            return "ssl.keystore.key is set without ssl.keystore.certificate.chain; give both"
    if store.password is not None:
        if store.type == "PEM":
            return (
                "ssl.keystore.password is not allowed with ssl.keystore.type=PEM; "
                "ssl.key.password is the password of the key"
            )
        if store.location is None:
            return "ssl.keystore.password is set without ssl.keystore.location"
    elif store.location is not None and store.type != "PEM":
        return f"ssl.keystore.password is not set; the key store {store.location} needs it"
    return None


def _contradiction_of_trust(store: TrustStoreSettings) -> str | None:
    """What is wrong with the combination of the keys of a trust store."""
    if store.certificates is not None:
        if store.location is not None:
            return "give either ssl.truststore.location or ssl.truststore.certificates, not both"
        if store.type != "PEM":
            return (
                f"ssl.truststore.certificates needs ssl.truststore.type=PEM, and it is {store.type}"
            )
    if store.password is not None:
        if store.type == "PEM":
            return "ssl.truststore.password is not allowed with ssl.truststore.type=PEM"
        if store.location is None:
            return "ssl.truststore.password is set without ssl.truststore.location"
    return None
