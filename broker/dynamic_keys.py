"""Which settings of a broker may change while it runs (KIP-226).

Those of ours that a Kafka 4.3 broker, asked by DescribeConfigs, does not call read-only. A key that
nobody knows may change, too: Kafka keeps such ones for the sake of plugins.
"""

from __future__ import annotations

from broker.config_advice import NOT_HERE
from broker.config_keys import KEYS

DYNAMIC_KEYS = frozenset(
    {
        "compression.gzip.level",
        "compression.lz4.level",
        "compression.type",
        "compression.zstd.level",
        "log.cleaner.backoff.ms",
        "log.cleaner.delete.retention.ms",
        "log.cleaner.max.compaction.lag.ms",
        "log.cleaner.min.cleanable.ratio",
        "log.cleaner.min.compaction.lag.ms",
        "log.cleanup.policy",
        "log.flush.interval.messages",
        "log.flush.interval.ms",
        "log.index.interval.bytes",
        "log.index.size.max.bytes",
        "log.message.timestamp.after.max.ms",
        "log.message.timestamp.before.max.ms",
        "log.message.timestamp.type",
        "log.preallocate",
        "log.retention.bytes",
        "log.retention.ms",
        "log.roll.jitter.ms",
        "log.roll.ms",
        "log.segment.bytes",
        "log.segment.delete.delay.ms",
        "max.connection.creation.rate",
        "max.connections",
        "max.connections.per.ip",
        "max.connections.per.ip.overrides",
        "message.max.bytes",
        "min.insync.replicas",
        "producer.id.expiration.ms",
        "unclean.leader.election.enable",
    }
)


def may_change(name: str) -> bool:
    """Whether a node takes a new value of the key while it runs."""
    return name in DYNAMIC_KEYS or (name not in KEYS and name not in NOT_HERE)
