"""Keys of the share coordinator and its topic (KIP-932)."""

from __future__ import annotations

from broker.config.key import key
from broker.config.kinds import int16, int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class ShareCoordinatorKeys:
    """Keys of the share coordinator and its topic (KIP-932)."""

    share_coordinator_cold_partition_snapshot_interval_ms: int = key(
        "share.coordinator.cold.partition.snapshot.interval.ms",
        int32(1),
        300_000,
        "How often share partitions that have not changed get a new snapshot.",
        internal=True,
    )
    share_coordinator_snapshot_update_records_per_snapshot: int = key(
        "share.coordinator.snapshot.update.records.per.snapshot",
        int32(0, 500),
        500,
        "The number of updates of a share partition that are written between two snapshots.",
    )
    share_coordinator_state_topic_min_isr: int = key(
        "share.coordinator.state.topic.min.isr",
        int16(1),
        2,
        "The min.insync.replicas of the topic of share partitions, limited to the number of "
        "replicas.",
    )
    share_coordinator_state_topic_num_partitions: int = key(
        "share.coordinator.state.topic.num.partitions",
        int32(1),
        4,
        "The number of partitions of the topic of share partitions.",
        kafka_default=50,
        reason="the share groups of one machine do not need fifty logs to be created and recovered",
    )
    share_coordinator_state_topic_prune_interval_ms: int = key(
        "share.coordinator.state.topic.prune.interval.ms",
        int32(1),
        300_000,
        "How often records that no share partition needs are deleted.",
        internal=True,
    )
    share_coordinator_state_topic_replication_factor: int = key(
        "share.coordinator.state.topic.replication.factor",
        int16(1),
        3,
        "The replication factor of the topic of share partitions, limited to the number of nodes.",
    )
    share_coordinator_state_topic_segment_bytes: int = key(
        "share.coordinator.state.topic.segment.bytes",
        int32(1),
        104_857_600,
        "The segment size of the topic of share partitions.",
    )
    share_coordinator_write_timeout_ms: int = key(
        "share.coordinator.write.timeout.ms",
        int32(1),
        5000,
        "How long the share coordinator waits until a record is replicated.",
    )
