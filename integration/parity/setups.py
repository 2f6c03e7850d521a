"""The clusters of scenarios: the numbers of nodes, and the configuration of both systems.

Timeouts are short, to keep runs short, but longer than the steps of a scenario on a busy machine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

INITIAL_DELAY_MS = 1500
SESSION_MIN_MS = 2000
STREAMS_HEARTBEAT_MIN_MS = 500
STREAMS_MEMBERS_MAX = 6
LAG_MS = 5000
SHRUNK_AFTER_MS = LAG_MS * 3 // 2  # Kafka checks the lag of followers in half of this interval
COMMIT_TIMEOUT_MS = 2000  # shorter than replica.lag.time.max.ms
FENCED_AFTER_MS = SHRUNK_AFTER_MS + 1500  # a paused node leaves the ISR before it is fenced
TRANSACTION_CHECK_MS = 400  # the interval in which the age of transactions is checked
EXPIRED_AFTER_MS = 6000
REQUEST_TIMEOUT_MS = 2000  # of requests between nodes, in `BRIEF`


@dataclass(frozen=True)
class Setup:
    """A kind of cluster, available from both systems; `kafka_only` is configured only in Kafka.

    *racks*: the rack of each node.
    *is_secured*: a node with the listeners of `integration.security.listeners`, and an authorizer.
    """

    name: str
    nodes: int
    properties: Mapping[str, str]
    kafka_only: Mapping[str, str] = field(default_factory=dict)
    racks: Sequence[str] = ()
    is_secured: bool = False


_EVERYWHERE = {
    "log.retention.ms": "-1",  # the timestamps of scenarios are old
    "group.initial.rebalance.delay.ms": str(INITIAL_DELAY_MS),
    "group.min.session.timeout.ms": str(SESSION_MIN_MS),
    "group.consumer.assignment.interval.ms": "0",
    "group.streams.assignment.interval.ms": "0",
    "group.streams.initial.rebalance.delay.ms": "0",
    "group.streams.min.session.timeout.ms": str(SESSION_MIN_MS),
    "group.streams.min.heartbeat.interval.ms": str(STREAMS_HEARTBEAT_MIN_MS),
    "group.streams.max.size": str(STREAMS_MEMBERS_MAX),
    "offsets.topic.num.partitions": "1",  # so that one partition's leader coordinates all groups
    "transaction.state.log.num.partitions": "1",  # the same for all transactional ids
    "transaction.state.log.min.isr": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": str(TRANSACTION_CHECK_MS),
    "share.coordinator.state.topic.num.partitions": "1",
}
ONE = Setup("one node", 1, {**_EVERYWHERE, "transaction.state.log.replication.factor": "1"})
EXPIRING = Setup(
    "one node where transactional ids expire",
    1,
    {
        **ONE.properties,
        "transactional.id.expiration.ms": str(EXPIRED_AFTER_MS),
        "transaction.remove.expired.transaction.cleanup.interval.ms": "200",
    },
)
THREE = Setup(
    "three nodes",
    3,
    {
        **_EVERYWHERE,
        "replica.lag.time.max.ms": str(LAG_MS),
        "offsets.commit.timeout.ms": str(COMMIT_TIMEOUT_MS),
        "transaction.state.log.replication.factor": "3",
    },
    {
        "auto.leader.rebalance.enable": "false",
        "broker.heartbeat.interval.ms": "500",
        "broker.session.timeout.ms": str(FENCED_AFTER_MS),  # the time until a crash is detected
    },
)
RACKS = Setup(
    "three nodes in two racks",
    3,
    {
        **THREE.properties,
        "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
    },
    THREE.kafka_only,
    racks=("a", "b", "b"),
)
# A paused follower stays in sync, so that another node's request for a write is not answered.
BRIEF = Setup(
    "three nodes with a short request timeout",
    3,
    {
        **THREE.properties,
        "request.timeout.ms": str(REQUEST_TIMEOUT_MS),
        "replica.lag.time.max.ms": "60000",
        "offsets.commit.timeout.ms": "60000",
    },
    {**THREE.kafka_only, "broker.session.timeout.ms": "60000"},
)
SHARE_LOCK_MS = 3000
SHARE = Setup(
    "one node with short locks of share groups",
    1,
    {
        **ONE.properties,
        "group.share.min.record.lock.duration.ms": "1000",
        "group.share.record.lock.duration.ms": str(SHARE_LOCK_MS),
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.min.isr": "1",
    },
)
FEW_SHARE_SESSIONS = Setup(
    "one node with few share sessions",
    1,
    {
        **SHARE.properties,
        "group.share.max.size": "2",
        "group.share.max.share.sessions": "3",
    },
)
NO_STREAMS = Setup(
    "one node without streams groups",
    1,
    {**ONE.properties, "group.coordinator.rebalance.protocols": "classic,consumer"},
)
SECURED = Setup("one node with security", 1, ONE.properties, is_secured=True)
# Nodes of its own: a limit of connections affects every scenario on the same node. In Kafka, each
# thread of a listener selects among its own connections which one it closes.
LIMITED = Setup(
    "one node with limits of connections",
    1,
    ONE.properties,
    {"num.network.threads": "1"},
    is_secured=True,
)
