"""Warnings for settings of the user that have no effect."""

from __future__ import annotations

from collections.abc import Iterator

from broker.command_line.options import ServeOptions
from broker.command_line.short_form import config_of
from broker.config.listener_keys import split_listener_key
from broker.config.table import KEYS, known_key
from broker.security.listeners.endpoints import ADMIN_HTTP, configured_listeners


def unused_settings(options: ServeOptions) -> Iterator[str]:
    """One line for each setting without effect; raises `StartupError` for invalid listeners."""
    bound = configured_listeners(config_of(options), options.brokers).bound
    listeners = [endpoint.listener for endpoint in bound]
    for name in sorted(options.config.given):
        key = known_key(name)
        assert key is not None, "unknown keys were refused"
        if key.unused is not None:
            yield f"{name} is set, but has no effect: {key.unused.reason}"
        elif not _has_listener(name, listeners):
            known = ", ".join(listeners)
            yield f"{name} is set, but has no effect: the listeners are {known}"
    if options.credentials and not any(endpoint.protocol.has_sasl for endpoint in bound):
        yield "users are stored, but no client can log in: no listener uses SASL"


def _has_listener(name: str, listeners: list[str]) -> bool:
    """Whether a key that begins with ``listener.name.`` has one of *listeners*; also other keys."""
    of_listener = split_listener_key(name, KEYS)
    if of_listener is None:
        return True
    if of_listener.owner == ADMIN_HTTP.lower() and of_listener.key.startswith("ssl."):
        return True
    prefix = f"{of_listener.owner}."  # the owner may end with a SASL mechanism
    return any(prefix.startswith(f"{listener.lower()}.") for listener in listeners)
