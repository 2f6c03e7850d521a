"""The names of keys that apply to one listener, or to one SASL mechanism of a listener.

    listener.name.internal.ssl.keystore.location        a key of the listener INTERNAL
    listener.name.internal.plain.sasl.jaas.config       a key of its mechanism PLAIN

The listener and the mechanism are in lower case. Such a value precedes the key's plain one
(``ListenerName.configPrefix``, ``AbstractConfig.valuesWithPrefixOverride``).
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final, NamedTuple

PREFIX: Final = "listener.name."

_LISTENER_KEYS = frozenset(
    {
        "connections.max.reauth.ms",
        "max.connection.creation.rate",
        "max.connections",
        "num.network.threads",
        "principal.builder.class",
    }
)
_LISTENER_GROUPS = ("ssl.", "sasl.")
_MECHANISM_KEYS = frozenset(
    {"connections.max.reauth.ms", "sasl.jaas.config", "sasl.server.callback.handler.class"}
)
_MECHANISM_GROUPS = ("sasl.login.", "sasl.oauthbearer.")


class ListenerKey(NamedTuple):
    """A plain key, and the listener (and mechanism, if any) to which it applies.

    ``owner`` is in lower case: ``internal``, or ``internal.plain`` with a mechanism.
    """

    owner: str
    key: str


def split_listener_key(name: str, known: Container[str]) -> ListenerKey | None:
    """The parts of *name*; None if it has no listener, or its key is not in *known*."""
    if not name.startswith(PREFIX):
        return None
    words = name.removeprefix(PREFIX).split(".")
    for index in range(1, len(words)):
        key = ".".join(words[index:])
        if key in known:
            return ListenerKey(".".join(words[:index]), key)
    return None


def applies_to_listeners(key: str) -> bool:
    """Whether a listener may have a value of its own for a plain key."""
    return key in _LISTENER_KEYS or key.startswith(_LISTENER_GROUPS)


def listener_names(listener: str, key: str, mechanism: str | None = None) -> tuple[str, ...]:
    """The names of *key* with prefixes, the most specific one first."""
    prefix = f"{PREFIX}{listener.lower()}."
    if mechanism is None or not _applies_to_mechanisms(key):
        return (prefix + key,)
    return (f"{prefix}{mechanism.lower()}.{key}", prefix + key)


def _applies_to_mechanisms(key: str) -> bool:
    return key in _MECHANISM_KEYS or key.startswith(_MECHANISM_GROUPS)
