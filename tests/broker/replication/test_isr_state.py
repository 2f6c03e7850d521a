"""The in-sync set and the change of it under way (mirrors the states of Kafka's PartitionTest)."""

from __future__ import annotations

import pytest

from broker.common.errors import InvariantBroken
from broker.replication.isr_state import IsrState


def test_a_committed_set_is_its_own_maximum() -> None:
    """Nothing is under way, so there is one set (Kafka's CommittedPartitionState)."""
    state = IsrState.of((1, 2))

    assert (state.committed, state.maximal, state.proposed) == ((1, 2), (1, 2), None)


def test_who_is_to_join_is_waited_for_at_once() -> None:
    """Kafka's PendingExpandIsr: the maximal set has the newcomer, the committed one has not."""
    state = IsrState.of((1, 2)).pending_expand(3)

    assert (state.committed, state.maximal, state.proposed) == ((1, 2), (1, 2, 3), (1, 2, 3))


def test_who_is_to_leave_is_waited_for_until_the_controller_agrees() -> None:
    """Kafka's PendingShrinkIsr: the maximal set is still the old one."""
    state = IsrState.of((1, 2, 3)).pending_shrink(frozenset({2, 3}))

    assert (state.committed, state.maximal, state.proposed) == ((1, 2, 3), (1, 2, 3), (1,))


def test_a_leader_does_not_leave_its_own_set() -> None:
    """It could lose what was acknowledged; the node stops instead."""
    with pytest.raises(InvariantBroken):
        IsrState.of((1,)).pending_shrink(frozenset({1}))
