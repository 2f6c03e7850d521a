"""The clusters scenarios run on: how many nodes, and what is configured on both sides.

Waits are short so that a run is, and far enough apart that none is taken for another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

INITIAL_DELAY_MS = 700
SESSION_MIN_MS = 700
LAG_MS = 1500
COMMIT_TIMEOUT_MS = 700  # well before a follower is out of sync


@dataclass(frozen=True)
class Setup:
    """A cluster to be had of both systems; `kafka_only` is what only Kafka needs to be told."""

    name: str
    nodes: int
    properties: Mapping[str, str]
    kafka_only: Mapping[str, str] = field(default_factory=dict)


_EVERYWHERE = {
    "log.retention.ms": "-1",  # records bear the times of scenarios, which are long past
    "group.initial.rebalance.delay.ms": str(INITIAL_DELAY_MS),
    "group.min.session.timeout.ms": str(SESSION_MIN_MS),
    "group.consumer.assignment.interval.ms": "0",
    "offsets.topic.num.partitions": "1",  # so that one partition's leader looks after all groups
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
        "broker.session.timeout.ms": "4000",  # how long a crash goes unnoticed
    },
)
