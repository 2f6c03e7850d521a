"""Keys of groups of the consumer protocol (KIP-848)."""

from __future__ import annotations

from dataclasses import dataclass

from broker.config.key import ANYWHERE, key
from broker.config.kinds import INT_MAX, ListOf, OneOfAnyCase, int32


@dataclass(kw_only=True)
class ConsumerGroupKeys:
    """Keys of groups of the consumer protocol (KIP-848)."""

    group_consumer_assignors: tuple[str, ...] = key(
        "group.consumer.assignors",
        ListOf(("uniform", "range"), may_be_empty=False),
        ("uniform", "range"),
        "How partitions can be assigned to groups of the consumer protocol; the first way is taken "
        "where members do not ask for another.",
    )
    group_consumer_session_timeout_ms: int = key(
        "group.consumer.session.timeout.ms",
        int32(1),
        45_000,
        "How long a member of the consumer protocol may be silent before it is thrown out.",
    )
    group_consumer_min_session_timeout_ms: int = key(
        "group.consumer.min.session.timeout.ms",
        int32(1),
        45_000,
        "The shortest session timeout that can be set, for all groups or for one.",
    )
    group_consumer_max_session_timeout_ms: int = key(
        "group.consumer.max.session.timeout.ms",
        int32(1),
        60_000,
        "The longest session timeout that can be set, for all groups or for one.",
    )
    group_consumer_heartbeat_interval_ms: int = key(
        "group.consumer.heartbeat.interval.ms",
        int32(1),
        5000,
        "How often members of the consumer protocol are to send heartbeats.",
    )
    group_consumer_min_heartbeat_interval_ms: int = key(
        "group.consumer.min.heartbeat.interval.ms",
        int32(1),
        5000,
        "The shortest heartbeat interval that can be set, for all groups or for one.",
    )
    group_consumer_max_heartbeat_interval_ms: int = key(
        "group.consumer.max.heartbeat.interval.ms",
        int32(1),
        15_000,
        "The longest heartbeat interval that can be set, for all groups or for one.",
    )
    group_consumer_assignment_interval_ms: int = key(
        "group.consumer.assignment.interval.ms",
        int32(0),
        0,
        "How long a group of the consumer protocol is left alone after it has been assigned.",
        change=ANYWHERE,
        kafka_default=1000,
        because="the second member of a group need not wait a second for its partitions in a test",
    )
    group_consumer_min_assignment_interval_ms: int = key(
        "group.consumer.min.assignment.interval.ms",
        int32(0),
        0,
        "The shortest assignment interval that can be set, for all groups or for one.",
    )
    group_consumer_max_assignment_interval_ms: int = key(
        "group.consumer.max.assignment.interval.ms",
        int32(0),
        15_000,
        "The longest assignment interval that can be set, for all groups or for one.",
    )
    group_consumer_max_size: int = key(
        "group.consumer.max.size",
        int32(1),
        INT_MAX,
        "The most members of a group of the consumer protocol.",
    )
    group_consumer_migration_policy: str = key(
        "group.consumer.migration.policy",
        OneOfAnyCase(("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL")),
        "bidirectional",
        "Which groups with members may change their protocol: classic ones when a member of the "
        "consumer protocol joins (upgrade), consumer ones when the last such member leaves.",
    )
