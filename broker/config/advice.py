"""Advice for keys that no broker of Kafka 4 has: topic keys, and keys of older brokers."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "port": "use listeners, or --port",
        "host.name": "use listeners, or --host",
        "zookeeper.connect": "the controller is in the broker process",
        "segment.bytes": "it is a topic key; the broker's key is log.segment.bytes",
        "segment.ms": "it is a topic key; the broker's key is log.roll.ms",
        "retention.ms": "it is a topic key; the broker's key is log.retention.ms",
        "retention.bytes": "it is a topic key; the broker's key is log.retention.bytes",
        "cleanup.policy": "it is a topic key; the broker's key is log.cleanup.policy",
        "max.message.bytes": "it is a topic key; the broker's key is message.max.bytes",
    }
)
