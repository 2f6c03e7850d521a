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
}
ONE = Setup("one node", 1, _EVERYWHERE)
THREE = Setup(
    "three nodes",
    3,
    {
        **_EVERYWHERE,
        "replica.lag.time.max.ms": str(LAG_MS),
        "offsets.commit.timeout.ms": str(COMMIT_TIMEOUT_MS),
    },
    {
        "auto.leader.rebalance.enable": "false",
        "broker.heartbeat.interval.ms": "500",
        "broker.session.timeout.ms": "4000",  # the time until a crash is detected
    },
)
