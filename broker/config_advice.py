"""What to tell who sets a key in vain: a key of Kafka that is not here, or without effect yet."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_NO_JVM = "it tunes threads and buffers that this broker does not have"
_NO_QUORUM = "the controller lives in the broker's process, there is no quorum to set up"

NOT_HERE: Mapping[str, str] = MappingProxyType(
    {
        "listeners": "say --host and --port",
        "advertised.listeners": "say --advertise",
        "port": "say --port",
        "host.name": "say --host",
        "log.dir": "say --data-dir",
        "log.dirs": "say --data-dir",
        "broker.id": "nodes are numbered from 1",
        "node.id": "nodes are numbered from 1",
        "process.roles": _NO_QUORUM,
        "controller.listener.names": _NO_QUORUM,
        "controller.quorum.voters": _NO_QUORUM,
        "controller.quorum.bootstrap.servers": _NO_QUORUM,
        "zookeeper.connect": _NO_QUORUM,
        "listener.security.protocol.map": "all listeners are PLAINTEXT",
        "inter.broker.listener.name": "all listeners are PLAINTEXT",
        "num.network.threads": _NO_JVM,
        "num.io.threads": _NO_JVM,
        "num.recovery.threads.per.data.dir": _NO_JVM,
        "socket.send.buffer.bytes": _NO_JVM,
        "socket.receive.buffer.bytes": _NO_JVM,
        "group.coordinator.threads": _NO_JVM,
        "segment.bytes": "it is a topic's; the broker's is log.segment.bytes",
        "segment.ms": "it is a topic's; the broker's is log.roll.ms",
        "retention.ms": "it is a topic's; the broker's is log.retention.ms",
        "retention.bytes": "it is a topic's; the broker's is log.retention.bytes",
        "cleanup.policy": "it is a topic's; the broker's is log.cleanup.policy",
        "max.message.bytes": "it is a topic's; the broker's is message.max.bytes",
    }
)

# Accepted and described, so that a configuration can be shared with a real Kafka; whoever sets one
# is warned at the start. A test holds the list against the code that reads the keys.
NO_EFFECT_YET = frozenset(
    {
        "log.preallocate",
        "queued.max.requests",
        "transaction.max.timeout.ms",
        "transaction.state.log.min.isr",
        "transaction.state.log.num.partitions",
        "transaction.state.log.replication.factor",
        "transaction.state.log.segment.bytes",
        "transactional.id.expiration.ms",
    }
)
