"""Replicas on their way to other nodes."""

from __future__ import annotations

import pytest

from broker.controller.image import PartitionRegistration
from broker.controller.reassignments import reassigned, reverted
from broker.errors import ApiError
from protocol.errors import ErrorCode


def test_both_sets_hold_the_partition_meanwhile() -> None:
    """Kafka's PartitionReassignmentReplicasTest: wanted ones first, leaving ones last."""
    old = PartitionRegistration((1, 2, 3), (1, 2, 3), 1)

    new = reassigned(old, (1, 4))

    assert new.replicas == (1, 4, 2, 3)
    assert (new.adding_replicas, new.removing_replicas) == ((4,), (2, 3))
    assert new.isr == old.isr


def test_another_order_of_the_same_replicas_moves_nobody() -> None:
    """Only the preferred leader is another one."""
    old = PartitionRegistration((1, 2, 3), (1, 2, 3), 1)

    new = reassigned(old, (3, 1, 2))

    assert new.replicas == (3, 1, 2)
    assert (new.adding_replicas, new.removing_replicas) == ((), ())


def test_a_second_wish_replaces_the_first() -> None:
    """What the first had added and the second does not want is dropped at once."""
    old = PartitionRegistration((1, 2), (1, 2), 1)

    new = reassigned(reassigned(old, (1, 3)), (1, 4))

    assert new.replicas == (1, 4, 2)
    assert (new.adding_replicas, new.removing_replicas) == ((4,), (2,))


def test_reverting_gives_the_old_replicas_back() -> None:
    """Kafka's PartitionReassignmentRevertTest."""
    old = PartitionRegistration((1, 2), (1, 2), 1)

    assert reverted(reassigned(old, (1, 3))) == old


def test_reverting_nothing_is_an_error() -> None:
    """NO_REASSIGNMENT_IN_PROGRESS."""
    with pytest.raises(ApiError) as refusal:
        reverted(PartitionRegistration((1, 2), (1, 2), 1))

    assert refusal.value.code is ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


def test_reverting_must_leave_somebody_in_sync() -> None:
    """Otherwise what only the new replicas have would be lost."""
    under_way = PartitionRegistration((1, 2), (2,), 2, adding_replicas=(2,))

    with pytest.raises(ApiError) as refusal:
        reverted(under_way)

    assert refusal.value.code is ErrorCode.INVALID_REPLICA_ASSIGNMENT
