"""The configuration keys of groups, offsets and transactions, a part of `broker.config_keys`."""

from __future__ import annotations

from broker.config_key import Key
from broker.config_kinds import ListOf, OneOfAnyCase, int16, int32, int64

COORDINATOR_KEYS = (
    # Groups and their offsets
    Key("group.min.session.timeout.ms", int32(), "The shortest session timeout a member may ask."),
    Key("group.max.session.timeout.ms", int32(), "The longest session timeout a member may ask."),
    Key(
        "group.initial.rebalance.delay.ms",
        int32(),
        "How long the first rebalance of an empty group waits for more members to come.",
        kafka_default=3000,
        because="it saves restarts in production, and is three idle seconds for every test",
    ),
    Key("group.max.size", int32(1), "The most members of a group of the classic protocol."),
    Key(
        "group.consumer.assignors",
        ListOf(("uniform", "range"), may_be_empty=False),
        "How partitions can be assigned to groups of the consumer protocol; the first way is taken "
        "where members do not ask for another.",
    ),
    Key(
        "group.consumer.session.timeout.ms",
        int32(1),
        "How long a member of the consumer protocol may be silent before it is thrown out.",
    ),
    Key(
        "group.consumer.min.session.timeout.ms",
        int32(1),
        "The shortest session timeout that can be set, for all groups or for one.",
    ),
    Key(
        "group.consumer.max.session.timeout.ms",
        int32(1),
        "The longest session timeout that can be set, for all groups or for one.",
    ),
    Key(
        "group.consumer.heartbeat.interval.ms",
        int32(1),
        "How often members of the consumer protocol are to send heartbeats.",
    ),
    Key(
        "group.consumer.min.heartbeat.interval.ms",
        int32(1),
        "The shortest heartbeat interval that can be set, for all groups or for one.",
    ),
    Key(
        "group.consumer.max.heartbeat.interval.ms",
        int32(1),
        "The longest heartbeat interval that can be set, for all groups or for one.",
    ),
    Key(
        "group.consumer.assignment.interval.ms",
        int32(0),
        "How long a group of the consumer protocol is left alone after it has been assigned.",
        kafka_default=1000,
        because="the second member of a group need not wait a second for its partitions in a test",
    ),
    Key(
        "group.consumer.min.assignment.interval.ms",
        int32(0),
        "The shortest assignment interval that can be set, for all groups or for one.",
    ),
    Key(
        "group.consumer.max.assignment.interval.ms",
        int32(0),
        "The longest assignment interval that can be set, for all groups or for one.",
    ),
    Key(
        "group.consumer.max.size",
        int32(1),
        "The most members of a group of the consumer protocol.",
    ),
    Key(
        "group.consumer.migration.policy",
        OneOfAnyCase(("DISABLED", "DOWNGRADE", "UPGRADE", "BIDIRECTIONAL")),
        "Which groups with members may change their protocol: classic ones when a member of the "
        "consumer protocol joins (upgrade), consumer ones when the last such member leaves.",
    ),
    Key(
        "offset.metadata.max.bytes",
        int32(),
        "The longest text a client may store with a committed offset.",
    ),
    Key(
        "offsets.commit.timeout.ms",
        int32(1),
        "How long an offset commit may wait for its replicas.",
    ),
    Key(
        "offsets.retention.minutes",
        int32(1),
        "How long the offsets of a group without members are kept.",
    ),
    Key(
        "offsets.retention.check.interval.ms",
        int64(1),
        "How often it is looked which offsets are too old.",
    ),
    Key(
        "offsets.topic.num.partitions",
        int32(1),
        "Partitions of the topic of committed offsets.",
        kafka_default=50,
        because="the groups of one machine need no fifty logs to be made and recovered",
    ),
    Key(
        "offsets.topic.replication.factor",
        int16(1),
        "Replicas of the topic of committed offsets; at most as many as there are nodes.",
    ),
    Key(
        "offsets.topic.segment.bytes",
        int32(1),
        "Segment size of the topic of committed offsets.",
    ),
    # Producers and transactions
    Key(
        "producer.id.expiration.ms",
        int32(1),
        "How long a silent idempotent producer is remembered.",
    ),
    Key(
        "producer.id.expiration.check.interval.ms",
        int32(1),
        "How often it is looked which producers can be forgotten.",
    ),
    Key(
        "transactional.id.expiration.ms",
        int32(1),
        "How long a silent transactional id is remembered.",
    ),
    Key(
        "transaction.max.timeout.ms",
        int32(1),
        "The longest transaction timeout a producer may ask.",
    ),
    Key(
        "transaction.state.log.num.partitions",
        int32(1),
        "Partitions of the topic of transaction states.",
        kafka_default=50,
        because="the transactions of one machine need no fifty logs to be made and recovered",
    ),
    Key(
        "transaction.state.log.replication.factor",
        int16(1),
        "Replicas of the topic of transaction states; at most as many as there are nodes.",
    ),
    Key(
        "transaction.state.log.min.isr",
        int32(1),
        "min.insync.replicas of the topic of transaction states; at most as many as it has "
        "replicas.",
    ),
    Key(
        "transaction.state.log.segment.bytes",
        int32(1),
        "Segment size of the topic of transaction states.",
    ),
)
