"""Which changes the controller may make, checked when it makes them.

In-sync and eligible replicas have all committed records (KIP-966). A reassignment completes when
all replicas that it adds are in sync, or is cancelled (KIP-455).
"""

from __future__ import annotations

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import PartitionRegistration, TopicImage
from tests.simulation.rules import Rules
from tests.simulation.violation import Violation


def check_decision(rules: Rules, before: TopicImage | None, after: TopicImage) -> None:
    """Raise `Violation` unless *after* is a valid change of the topic."""
    for index, known in enumerate(after.partitions):
        key = TopicPartition(after.name, index)
        rules.check_set(key, known)
        if before is not None and index < len(before.partitions):
            _check_move(key, before.partitions[index], known)


def _check_move(
    key: TopicPartition, before: PartitionRegistration, after: PartitionRegistration
) -> None:
    settled = set(before.replicas) - set(before.adding_replicas)
    if not after.adding_replicas and not set(after.replicas) - settled <= set(after.isr):
        raise Violation(
            f"{key}: the reassignment to {after.replicas} completes with ISR {after.isr}"
        )
