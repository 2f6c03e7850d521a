"""Advice for keys that no broker of Kafka 4 has: a topic's key, or one that older brokers had."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

NOT_HERE: Mapping[str, str] = MappingProxyType(
    {
        "port": "say --port",
        "host.name": "say --host",
        "zookeeper.connect": "there is no quorum: the controller is in the broker process",
        "segment.bytes": "it is a topic's; the broker's is log.segment.bytes",
        "segment.ms": "it is a topic's; the broker's is log.roll.ms",
        "retention.ms": "it is a topic's; the broker's is log.retention.ms",
        "retention.bytes": "it is a topic's; the broker's is log.retention.bytes",
        "cleanup.policy": "it is a topic's; the broker's is log.cleanup.policy",
        "max.message.bytes": "it is a topic's; the broker's is message.max.bytes",
    }
)
