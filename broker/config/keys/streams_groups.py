"""Keys of streams groups (KIP-1071)."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.keys.group_bound import group_bound
from broker.config.kinds import INT_MAX, int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class StreamsGroupKeys:
    """Keys of streams groups (KIP-1071)."""

    group_streams_max_size: int = key(
        "group.streams.max.size",
        int32(1),
        INT_MAX,
        "The largest number of members of a streams group.",
    )
    group_streams_session_timeout_ms: int = key(
        "group.streams.session.timeout.ms",
        int32(1),
        45_000,
        "The time without heartbeats after which a member of a streams group is removed.",
    )
    group_streams_min_session_timeout_ms: int = group_bound(
        "group.streams.min.session.timeout.ms",
        int32(1),
        45_000,
        "shortest session timeout",
    )
    group_streams_max_session_timeout_ms: int = group_bound(
        "group.streams.max.session.timeout.ms",
        int32(1),
        60_000,
        "longest session timeout",
    )
    group_streams_heartbeat_interval_ms: int = key(
        "group.streams.heartbeat.interval.ms",
        int32(1),
        5000,
        "The interval at which members of a streams group send heartbeats.",
    )
    group_streams_min_heartbeat_interval_ms: int = group_bound(
        "group.streams.min.heartbeat.interval.ms",
        int32(1),
        5000,
        "shortest heartbeat interval",
    )
    group_streams_max_heartbeat_interval_ms: int = group_bound(
        "group.streams.max.heartbeat.interval.ms",
        int32(1),
        15_000,
        "longest heartbeat interval",
    )
    group_streams_assignment_interval_ms: int = key(
        "group.streams.assignment.interval.ms",
        int32(0),
        0,
        "The shortest time between two target assignments of a streams group.",
        update_mode=CLUSTER_WIDE,
        kafka_default=1000,
        reason="in a test a group should not wait a second for its tasks after its internal topics "
        "have been created",
    )
    group_streams_min_assignment_interval_ms: int = group_bound(
        "group.streams.min.assignment.interval.ms",
        int32(0),
        0,
        "shortest assignment interval",
    )
    group_streams_max_assignment_interval_ms: int = group_bound(
        "group.streams.max.assignment.interval.ms",
        int32(0),
        15_000,
        "longest assignment interval",
    )
    group_streams_initial_rebalance_delay_ms: int = key(
        "group.streams.initial.rebalance.delay.ms",
        int32(0),
        0,
        "The time that a streams group without members waits for more members before its tasks "
        "are assigned.",
        kafka_default=3000,
        reason="the delay avoids rebalances in production, but costs every test three seconds",
    )
    group_streams_num_standby_replicas: int = key(
        "group.streams.num.standby.replicas",
        int32(0),
        0,
        "The number of standby tasks of each task with state.",
    )
    group_streams_max_standby_replicas: int = group_bound(
        "group.streams.max.standby.replicas",
        int32(0),
        2,
        "largest number of standby tasks",
    )
