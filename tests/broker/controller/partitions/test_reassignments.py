"""Reassignments of partitions."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import Broker, MetadataImage, PartitionRegistration
from broker.controller.partitions.partition_change import Election, Rules
from broker.controller.partitions.reassignments import (
    cancel_reassignment,
    check_target,
    is_reassigning,
    reassign,
)
from protocol.errors import ErrorCode

KEY = TopicPartition("t", 0)
ALL_ALIVE = Rules(lambda _: True, 1)


def _refusal(target: tuple[int, ...], old: PartitionRegistration, *, may_change: bool) -> ErrorCode:
    image = MetadataImage("cluster")
    for node_id in (1, 2, 3, 4):
        image.put_broker(Broker(node_id, "h", node_id))
    with pytest.raises(ApiError) as refusal:
        check_target(image, old, target, may_change_factor=may_change)
    return refusal.value.code


def test_old_and_new_replicas_hold_the_partition_meanwhile() -> None:
    """Kafka's PartitionReassignmentReplicasTest: target replicas first, removed ones last."""
    old = PartitionRegistration((1, 2, 3), (1, 2, 3), 1)

    new = reassign((1, 4), old, ALL_ALIVE)

    assert new.replicas == (1, 4, 2, 3)
    assert (new.adding_replicas, new.removing_replicas) == ((4,), (2, 3))
    assert (new.isr, new.leader, new.leader_epoch) == (old.isr, 1, 0)
    assert is_reassigning(new)


def test_another_order_of_the_same_replicas_moves_none() -> None:
    """Only the preferred leader changes, and the leader stays."""
    old = PartitionRegistration((1, 2, 3), (1, 2, 3), 1)

    new = reassign((3, 1, 2), old, ALL_ALIVE)

    assert (new.replicas, new.leader, new.leader_epoch) == ((3, 1, 2), 1, 0)
    assert not is_reassigning(new)


def test_replicas_that_are_only_removed_go_immediately() -> None:
    """If the others are in sync."""
    old = PartitionRegistration((1, 2, 3), (1, 2, 3), 1)

    new = reassign((3, 2), old, ALL_ALIVE)

    assert (new.replicas, new.isr, new.leader) == ((3, 2), (2, 3), 3)


def test_a_second_reassignment_starts_from_the_first() -> None:
    """Kafka's testAlterPartitionReassignments: added replicas are removed again."""
    old = PartitionRegistration((1, 2), (1, 2), 1)

    new = reassign((1, 4), reassign((1, 3), old, ALL_ALIVE), ALL_ALIVE)

    assert new.replicas == (1, 4, 2, 3)
    assert (new.adding_replicas, new.removing_replicas) == ((4,), (2, 3))


def test_cancelling_restores_the_old_replicas() -> None:
    """Kafka's PartitionReassignmentRevertTest: new replicas also leave the ISR."""
    moving = PartitionRegistration(
        (1, 4, 3, 2), (1, 4, 2), 4, adding_replicas=(3, 4), removing_replicas=(2,)
    )

    new = cancel_reassignment(KEY, moving, ALL_ALIVE)

    assert (new.replicas, new.isr, new.leader) == ((1, 2), (1, 2), 1)
    assert not is_reassigning(new)


def test_cancelling_without_reassignment_is_an_error() -> None:
    """NO_REASSIGNMENT_IN_PROGRESS, without a message, as in Kafka."""
    with pytest.raises(ApiError) as refusal:
        cancel_reassignment(KEY, PartitionRegistration((1, 2), (1, 2), 1), ALL_ALIVE)

    assert refusal.value.code is ErrorCode.NO_REASSIGNMENT_IN_PROGRESS
    assert refusal.value.message is None


def test_cancelling_must_leave_an_in_sync_replica() -> None:
    """Records of the new replicas alone would be lost, unless unclean leaders are allowed."""
    moving = PartitionRegistration((1, 2), (2,), 2, adding_replicas=(2,))
    unclean = Rules(lambda _: True, 1, Election.UNCLEAN)

    with pytest.raises(ApiError) as refusal:
        cancel_reassignment(KEY, moving, ALL_ALIVE)
    lossy = cancel_reassignment(KEY, moving, unclean)

    assert refusal.value.code is ErrorCode.INVALID_REPLICA_ASSIGNMENT
    assert (lossy.replicas, lossy.isr, lossy.leader) == ((1,), (1,), 1)


def test_the_target_must_be_registered_nodes() -> None:
    """Each once, and at least one."""
    old = PartitionRegistration((1, 2), (1, 2), 1)

    for target in ((), (1, 1), (1, 9)):
        error = _refusal(target, old, may_change=True)
        assert error is ErrorCode.INVALID_REPLICA_ASSIGNMENT


def test_the_factor_does_not_include_removed_replicas() -> None:
    """KIP-860: three replicas, one of which is being removed, are two."""
    old = PartitionRegistration((1, 3, 2), (1, 2), 1, adding_replicas=(3,), removing_replicas=(2,))

    check_target(
        MetadataImage("c", {1: Broker(1, "h", 1), 2: Broker(2, "h", 2)}),
        old,
        (1, 2),
        may_change_factor=False,
    )
    error = _refusal((1, 3, 2), old, may_change=False)

    assert error is ErrorCode.INVALID_REPLICATION_FACTOR
