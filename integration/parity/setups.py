"""The clusters of scenarios: the numbers of nodes, and the configuration of both systems.

Timeouts are short, to keep runs short, and different enough to be distinguished.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

INITIAL_DELAY_MS = 700
SESSION_MIN_MS = 700
LAG_MS = 1500
COMMIT_TIMEOUT_MS = 700  # shorter than replica.lag.time.max.ms
TRANSACTION_CHECK_MS = 400  # the interval in which the age of transactions is checked
EXPIRED_AFTER_MS = 2500


@dataclass(frozen=True)
class Setup:
    """A kind of cluster, available from both systems; `kafka_only` is configured only in Kafka."""

    name: str
    nodes: int
    properties: Mapping[str, str]
    kafka_only: Mapping[str, str] = field(default_factory=dict)


_EVERYWHERE = {
    "log.retention.ms": "-1",  # the timestamps of scenarios are old
    "group.initial.rebalance.delay.ms": str(INITIAL_DELAY_MS),
    "group.min.session.timeout.ms": str(SESSION_MIN_MS),
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",  # so that one partition's leader coordinates all groups
    "transaction.state.log.num.partitions": "1",  # the same for all transactional ids
    "transaction.state.log.min.isr": "1",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": str(TRANSACTION_CHECK_MS),
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
        "broker.session.timeout.ms": "4000",  # the time until a crash is detected
    },
)
