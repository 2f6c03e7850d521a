"""All keys of a broker: those of `broker.config.keys`, then those of `broker.config.idle`."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from types import MappingProxyType

from broker.config.idle import (
    identity,
    listeners,
    logs,
    plugins,
    quorum,
    sasl,
    sasl_oauthbearer,
    share_groups,
    streams_groups,
    threads,
    tiering,
    tls,
    transactions,
)
from broker.config.key import Change, Key, declared_in
from broker.config.keys.classic_groups import ClassicGroupKeys
from broker.config.keys.connections import ConnectionKeys
from broker.config.keys.consumer_groups import ConsumerGroupKeys
from broker.config.keys.flushing import FlushKeys
from broker.config.keys.offsets import OffsetKeys
from broker.config.keys.producers import ProducerKeys
from broker.config.keys.purgatories import PurgatoryKeys
from broker.config.keys.records import RecordKeys
from broker.config.keys.replication import ReplicationKeys
from broker.config.keys.retention import RetentionKeys
from broker.config.keys.segments import SegmentKeys
from broker.config.keys.topics import TopicKeys

_THEMES = (
    ConnectionKeys,
    TopicKeys,
    RecordKeys,
    SegmentKeys,
    FlushKeys,
    RetentionKeys,
    PurgatoryKeys,
    ReplicationKeys,
    ClassicGroupKeys,
    ConsumerGroupKeys,
    OffsetKeys,
    ProducerKeys,
)
_IDLE = (
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
    streams_groups,
    tiering,
)

KEYS: Mapping[str, Key] = MappingProxyType(
    {
        key.name: key
        for key in chain(
            chain.from_iterable(map(declared_in, _THEMES)),
            chain.from_iterable(theme.KEYS for theme in _IDLE),
        )
    }
)

_LISTENER_PREFIX = "listener.name."


def may_change(name: str) -> bool:
    """Whether a node takes a new value of the key while it runs (KIP-226).

    A key that nobody knows may change, too: Kafka keeps such keys for plugins.
    """
    return name not in KEYS or KEYS[name].change is not Change.NEVER


def known_key(name: str) -> Key | None:
    """The key of that name, or that a name for one listener means; None if nobody knows it.

    ``listener.name.internal.ssl.keystore.location`` is ``ssl.keystore.location`` of the listener
    ``INTERNAL``.
    """
    if name.startswith(_LISTENER_PREFIX):
        _, _, name = name.removeprefix(_LISTENER_PREFIX).partition(".")
    return KEYS.get(name)
