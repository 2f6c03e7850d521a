"""Keys of share groups (KIP-932)."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.keys.group_bound import group_bound
from broker.config.kinds import int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class ShareGroupKeys:
    """Keys of share groups (KIP-932)."""

    group_share_max_size: int = key(
        "group.share.max.size",
        int32(1, 1000),
        200,
        "The largest number of members of a share group.",
    )
    group_share_initialize_retry_interval_ms: int = key(
        "group.share.initialize.retry.interval.ms",
        int32(1),
        30_000,
        "The time after which partitions of a share group are initialized again, if the share "
        "coordinator has not responded.",
        internal=True,
    )
    group_share_session_timeout_ms: int = key(
        "group.share.session.timeout.ms",
        int32(1),
        45_000,
        "The time without heartbeats after which a member of a share group is removed.",
    )
    group_share_min_session_timeout_ms: int = group_bound(
        "group.share.min.session.timeout.ms",
        int32(1),
        45_000,
        "shortest session timeout",
    )
    group_share_max_session_timeout_ms: int = group_bound(
        "group.share.max.session.timeout.ms",
        int32(1),
        60_000,
        "longest session timeout",
    )
    group_share_heartbeat_interval_ms: int = key(
        "group.share.heartbeat.interval.ms",
        int32(1),
        5000,
        "The interval at which members of a share group send heartbeats.",
    )
    group_share_min_heartbeat_interval_ms: int = group_bound(
        "group.share.min.heartbeat.interval.ms",
        int32(1),
        5000,
        "shortest heartbeat interval",
    )
    group_share_max_heartbeat_interval_ms: int = group_bound(
        "group.share.max.heartbeat.interval.ms",
        int32(1),
        15_000,
        "longest heartbeat interval",
    )
    group_share_assignment_interval_ms: int = key(
        "group.share.assignment.interval.ms",
        int32(0),
        1000,
        "The shortest time between two target assignments of a share group.",
        update_mode=CLUSTER_WIDE,
    )
    group_share_min_assignment_interval_ms: int = group_bound(
        "group.share.min.assignment.interval.ms",
        int32(0),
        0,
        "shortest assignment interval",
    )
    group_share_max_assignment_interval_ms: int = group_bound(
        "group.share.max.assignment.interval.ms",
        int32(0),
        15_000,
        "longest assignment interval",
    )
    group_share_record_lock_duration_ms: int = key(
        "group.share.record.lock.duration.ms",
        int32(1000, 3_600_000),
        30_000,
        "How long a member of a share group holds a record that it has acquired.",
    )
    group_share_min_record_lock_duration_ms: int = group_bound(
        "group.share.min.record.lock.duration.ms",
        int32(1000, 30_000),
        15_000,
        "shortest record lock duration",
    )
    group_share_max_record_lock_duration_ms: int = group_bound(
        "group.share.max.record.lock.duration.ms",
        int32(30_000, 3_600_000),
        60_000,
        "longest record lock duration",
    )
    group_share_delivery_count_limit: int = key(
        "group.share.delivery.count.limit",
        int32(2, 10),
        5,
        "How often a record is delivered to a share group before it is archived.",
    )
    group_share_min_delivery_count_limit: int = group_bound(
        "group.share.min.delivery.count.limit",
        int32(2, 5),
        2,
        "smallest delivery count limit",
    )
    group_share_max_delivery_count_limit: int = group_bound(
        "group.share.max.delivery.count.limit",
        int32(5, 25),
        10,
        "largest delivery count limit",
    )
    group_share_partition_max_record_locks: int = key(
        "group.share.partition.max.record.locks",
        int32(100, 10_000),
        2000,
        "The number of records of a share partition that may be in flight.",
    )
    group_share_min_partition_max_record_locks: int = group_bound(
        "group.share.min.partition.max.record.locks",
        int32(100, 2000),
        100,
        "smallest number of records in flight",
    )
    group_share_max_partition_max_record_locks: int = group_bound(
        "group.share.max.partition.max.record.locks",
        int32(2000, 10_000),
        4000,
        "largest number of records in flight",
    )
    group_share_max_share_sessions: int = key(
        "group.share.max.share.sessions",
        int32(1),
        2000,
        "The largest number of share sessions on a node; further ones are refused.",
    )
