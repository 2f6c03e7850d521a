"""Keys of committed offsets and their topic."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import int16, int32, int64
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class OffsetKeys:
    """Keys of committed offsets and their topic."""

    offset_metadata_max_bytes: int = key(
        "offset.metadata.max.bytes",
        int32(),
        4096,
        "The largest metadata that a client may store with a committed offset.",
    )
    offsets_commit_timeout_ms: int = key(
        "offsets.commit.timeout.ms",
        int32(1),
        5000,
        "How long an offset commit waits for its replicas.",
    )
    offsets_retention_minutes: int = key(
        "offsets.retention.minutes",
        int32(1),
        10_080,
        "How long the offsets of a group without members are kept.",
    )
    offsets_retention_check_interval_ms: int = key(
        "offsets.retention.check.interval.ms",
        int64(1),
        600_000,
        "How often the broker checks for expired offsets.",
    )
    offsets_topic_num_partitions: int = key(
        "offsets.topic.num.partitions",
        int32(1),
        4,
        "The number of partitions of the topic of committed offsets.",
        kafka_default=50,
        reason="the groups of one machine do not need fifty logs to be created and recovered",
    )
    offsets_topic_replication_factor: int = key(
        "offsets.topic.replication.factor",
        int16(1),
        3,
        "The replication factor of the topic of committed offsets, limited to the number of nodes.",
    )
    offsets_topic_segment_bytes: int = key(
        "offsets.topic.segment.bytes",
        int32(1),
        104_857_600,
        "The segment size of the topic of committed offsets.",
    )
