"""The ISR and its pending change (mirrors the states of Kafka's PartitionTest)."""

from __future__ import annotations

import pytest

from broker.common.errors import InvariantBroken
from broker.replication.isr_state import IsrState


def test_a_committed_isr_is_the_maximal_isr() -> None:
    """No change is pending (Kafka's CommittedPartitionState)."""
    state = IsrState.of((1, 2))

    assert (state.committed, state.maximal, state.proposed) == ((1, 2), (1, 2), None)


def test_a_pending_newcomer_is_in_the_maximal_isr() -> None:
    """Kafka's PendingExpandIsr: it is not in the committed one."""
    state = IsrState.of((1, 2)).pending_expand(3)

    assert (state.committed, state.maximal, state.proposed) == ((1, 2), (1, 2, 3), (1, 2, 3))


def test_a_pending_leaver_is_in_the_maximal_isr() -> None:
    """Kafka's PendingShrinkIsr: the maximal ISR is still the old one."""
    state = IsrState.of((1, 2, 3)).pending_shrink(frozenset({2, 3}))

    assert (state.committed, state.maximal, state.proposed) == ((1, 2, 3), (1, 2, 3), (1,))


def test_a_leader_cannot_remove_itself() -> None:
    """Acknowledged records could be lost; the node stops instead."""
    with pytest.raises(InvariantBroken):
        IsrState.of((1,)).pending_shrink(frozenset({1}))
