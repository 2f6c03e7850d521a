"""The TLS of one listener while it runs: its context, which a reload replaces, and its rules.

New connections use the new context; open ones keep the one with which they began. A new key store
must have the subject and the alternative names of the old one, unless the configuration allows
changes (``SslFactory.CertificateEntries``).
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Iterable, Mapping
from typing import cast

from broker.common.errors import StartupError
from broker.config import Config
from broker.config.listener_keys import PREFIX
from broker.security.tls.certificate import Certificate
from broker.security.tls.contexts import client_context, server_context
from broker.security.tls.mapping_rules import MappingRules
from broker.security.tls.settings import TlsSettings
from broker.security.tls.stores import key_store

log = logging.getLogger("antechamber.tls")


class ListenerTls:
    """The TLS of *listener*; raises `StartupError` if its settings cannot be used.

    ``context`` is for the listener's clients, ``client_context`` for connections of this node to
    the same listener of other nodes, ``rules`` name the clients with certificates.
    """

    def __init__(self, config: Config, listener: str) -> None:
        settings = TlsSettings.of(config, listener)
        rules = cast("str", config.for_listener(listener, "ssl.principal.mapping.rules"))
        self._listener = listener
        self._settings = settings
        self._certificate = _certificate(settings)
        self.context = server_context(settings)
        self.client_context = client_context(settings)
        self.rules = MappingRules(rules)

    def is_changed(self, config: Config) -> bool:
        """Whether *config* has other settings than the present ones."""
        return TlsSettings.of(config, self._listener) != self._settings

    def is_named_by(self, keys: Iterable[str]) -> bool:
        """Whether a change of these keys reloads the stores of this listener."""
        prefix = f"{PREFIX}{self._listener.lower()}.ssl."
        return any(key.startswith(prefix) for key in keys)

    def reload(self, config: Config) -> None:
        """Read the settings and the stores again; raises `StartupError` and changes nothing."""
        settings, context, node_context, certificate = self._loaded(config)
        self._settings, self._certificate = settings, certificate
        self.context, self.client_context = context, node_context

    def check(self, config: Config) -> None:
        """Raise `StartupError` if `reload` would."""
        self._loaded(config)

    def _loaded(
        self, config: Config
    ) -> tuple[TlsSettings, ssl.SSLContext, ssl.SSLContext, Certificate]:
        settings = TlsSettings.of(config, self._listener)
        if settings.trust_store.is_given != self._settings.trust_store.is_given:
            raise StartupError("a trust store cannot be added or removed while the broker runs")
        context, certificate = server_context(settings), _certificate(settings)
        reason = _difference(self._certificate, certificate, config)
        if reason is not None:
            raise StartupError(reason)
        return settings, context, client_context(settings), certificate


def reload_changed(tls: Mapping[str, ListenerTls], config: Config) -> None:
    """Reload the listeners whose settings have changed; one that cannot be reloaded is logged."""
    for listener in tls.values():
        try:
            if listener.is_changed(config):
                listener.reload(config)
        except StartupError as reason:
            log.warning("the former certificates stay in use: %s", reason)


def _certificate(settings: TlsSettings) -> Certificate:
    """The first certificate of the key store."""
    return Certificate.of(key_store(settings).chain[0])


def _difference(old: Certificate, new: Certificate, config: Config) -> str | None:
    """Why *new* may not replace *old*, or None."""
    if old.subject != new.subject and not config.ssl_allow_dn_changes:
        return (
            "Keystore DistinguishedName does not match: "
            f"existing {old.subject}, new {new.subject}; ssl.allow.dn.changes=true would allow it"
        )
    if old.alternative_names != new.alternative_names and not config.ssl_allow_san_changes:
        return (
            "Keystore SubjectAltNames do not match the existing ones; "
            "ssl.allow.san.changes=true would allow it"
        )
    return None
