"""All keys of a broker: those of `broker.config.keys`, then those of `broker.config.unused`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from broker.config import dynamic_only_keys
from broker.config.key import Key, UpdateMode, declared_in
from broker.config.keys.all_keys import AllKeys
from broker.config.listener_keys import split_listener_key
from broker.config.unused import (
    identity,
    listeners,
    logs,
    plugins,
    quorum,
    sasl,
    sasl_oauthbearer,
    share_groups,
    threads,
    tiering,
    tls,
    transactions,
)

_UNUSED = (
    identity,
    listeners,
    quorum,
    tls,
    sasl,
    sasl_oauthbearer,
    plugins,
    threads,
    logs,
    transactions,
    share_groups,
    tiering,
)

KEYS: Mapping[str, Key] = MappingProxyType(
    {
        key.name: key
        for key in chain(
            chain.from_iterable(map(declared_in, AllKeys.__bases__)),
            chain.from_iterable(theme.KEYS for theme in _UNUSED),
        )
    }
)

DYNAMIC_KEYS: Mapping[str, Key] = MappingProxyType(
    {key.name: key for key in dynamic_only_keys.KEYS}
)


def may_change(name: str) -> bool:
    """Whether the key may change while a node runs (KIP-226).

    An unknown key may change: Kafka stores such keys for plugins.
    """
    return name not in KEYS or KEYS[name].update_mode is not UpdateMode.READ_ONLY


def known_key(name: str) -> Key | None:
    """The key of that name, without the prefix of a listener; None if it is unknown.

    See `broker.config.listener_keys`.
    """
    of_listener = split_listener_key(name, KEYS)
    return KEYS.get(name if of_listener is None else of_listener.key)


def dynamic_key(name: str) -> Key | None:
    """The key of that name as a change of a running node finds it; None if it is unknown."""
    return DYNAMIC_KEYS.get(name) or known_key(name)
