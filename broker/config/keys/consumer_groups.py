"""Keys of groups of the consumer protocol (KIP-848)."""

from __future__ import annotations

from broker.config.key import CLUSTER_WIDE, key
from broker.config.keys.group_bound import group_bound
from broker.config.kinds import INT_MAX, ListOf, OneOfAnyCase, int32
from protocol.lazy_dataclass import dataclass


@dataclass(kw_only=True)
class ConsumerGroupKeys:
    """Keys of groups of the consumer protocol (KIP-848)."""

    group_consumer_assignors: tuple[str, ...] = key(
        "group.consumer.assignors",
        ListOf(("uniform", "range"), may_be_empty=False),
        ("uniform", "range"),
        "The assignors for groups of the consumer protocol; the first one is used unless members "
        "request another.",
    )
    group_consumer_session_timeout_ms: int = key(
        "group.consumer.session.timeout.ms",
        int32(1),
        45_000,
        "The time without heartbeats after which a member of the consumer protocol is removed.",
    )
    group_consumer_min_session_timeout_ms: int = group_bound(
        "group.consumer.min.session.timeout.ms",
        int32(1),
        45_000,
        "shortest session timeout",
    )
    group_consumer_max_session_timeout_ms: int = group_bound(
        "group.consumer.max.session.timeout.ms",
        int32(1),
        60_000,
        "longest session timeout",
    )
    group_consumer_heartbeat_interval_ms: int = key(
        "group.consumer.heartbeat.interval.ms",
        int32(1),
        5000,
        "The interval at which members of the consumer protocol send heartbeats.",
    )
    group_consumer_min_heartbeat_interval_ms: int = group_bound(
        "group.consumer.min.heartbeat.interval.ms",
        int32(1),
        5000,
        "shortest heartbeat interval",
    )
    group_consumer_max_heartbeat_interval_ms: int = group_bound(
        "group.consumer.max.heartbeat.interval.ms",
        int32(1),
        15_000,
        "longest heartbeat interval",
    )
    group_consumer_assignment_interval_ms: int = key(
        "group.consumer.assignment.interval.ms",
        int32(0),
        0,
        "The shortest time between two target assignments of a group of the consumer protocol.",
        update_mode=CLUSTER_WIDE,
        kafka_default=1000,
        reason="in a test the second member of a group should not wait a second for its partitions",
    )
    group_consumer_min_assignment_interval_ms: int = group_bound(
        "group.consumer.min.assignment.interval.ms",
        int32(0),
        0,
        "shortest assignment interval",
    )
    group_consumer_max_assignment_interval_ms: int = group_bound(
        "group.consumer.max.assignment.interval.ms",
        int32(0),
        15_000,
        "longest assignment interval",
    )
    group_consumer_max_size: int = key(
        "group.consumer.max.size",
        int32(1),
        INT_MAX,
        "The largest number of members of a group of the consumer protocol.",
    )
    group_consumer_regex_refresh_interval_ms: int = key(
        "group.consumer.regex.refresh.interval.ms",
        int32(10_000),
        600_000,
        "The longest time between two resolutions of the regular expressions of a group of the "
        "consumer protocol, whose members send heartbeats. Without changes of topics, a resolution "
        "has another result only if ACLs have changed.",
        internal=True,
    )
    group_consumer_migration_policy: str = key(
        "group.consumer.migration.policy",
        OneOfAnyCase(("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL")),
        "bidirectional",
        "Which groups with members may change their protocol: a classic group when a member of the "
        "consumer protocol joins (upgrade), a consumer group when the last such member leaves "
        "(downgrade).",
    )
