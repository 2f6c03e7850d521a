"""Group state."""

from __future__ import annotations

from itertools import product

import pytest

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import TRANSITIONS, GroupState

# Kafka's ClassicGroupState, from the other end: which states may come before each.
PREVIOUS_STATES = {
    "Empty": {"PreparingRebalance"},
    "PreparingRebalance": {"Stable", "CompletingRebalance", "Empty"},
    "CompletingRebalance": {"PreparingRebalance"},
    "Stable": {"CompletingRebalance"},
    "Dead": {"Stable", "PreparingRebalance", "CompletingRebalance", "Empty", "Dead"},
}


@pytest.mark.parametrize(("before", "after"), list(product(GroupState, GroupState)))
def test_a_group_moves_exactly_where_kafka_allows_it(before: GroupState, after: GroupState) -> None:
    """Every pair of states: allowed as in Kafka's table, refused otherwise."""
    group = ClassicGroup("g", 0)
    group.state = before

    if before in PREVIOUS_STATES[after]:
        group.transition_to(after, 5)
        assert (group.previous_state, group.state) == (before, after)
        assert group.state_since_wall_ms == 5
    else:
        with pytest.raises(AssertionError, match=f"{before} -> {after}"):
            group.transition_to(after, 5)


def test_the_table_knows_every_state() -> None:
    """No state lacks its row."""
    assert set(TRANSITIONS) == set(GroupState)


def test_a_rebalance_can_begin_from_every_state_but_its_own_and_death() -> None:
    """Kafka's canRebalance follows from the table."""
    group = ClassicGroup("g", 0)
    able = set()
    for state in GroupState:
        group.state = state
        if group.can_rebalance:
            able.add(state.value)

    assert able == PREVIOUS_STATES["PreparingRebalance"]
