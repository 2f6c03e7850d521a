"""Group state."""

from __future__ import annotations

from itertools import product

import pytest

from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import TRANSITIONS, ClassicGroupState

# The valid previous states of each state, as ClassicGroupState declares them.
PREVIOUS_STATES = {
    "Empty": {"PreparingRebalance"},
    "PreparingRebalance": {"Stable", "CompletingRebalance", "Empty"},
    "CompletingRebalance": {"PreparingRebalance"},
    "Stable": {"CompletingRebalance"},
    "Dead": {"Stable", "PreparingRebalance", "CompletingRebalance", "Empty", "Dead"},
}


@pytest.mark.parametrize(("before", "after"), list(product(ClassicGroupState, ClassicGroupState)))
def test_the_transitions_are_those_of_kafka(
    before: ClassicGroupState, after: ClassicGroupState
) -> None:
    """For each pair of states."""
    group = ClassicGroup("g", 0)
    group.state = before

    if before in PREVIOUS_STATES[after]:
        group.transition_to(after, 5)
        assert (group.previous_state, group.state) == (before, after)
        assert group.state_since_wall_ms == 5
    else:
        with pytest.raises(AssertionError, match=f"{before} -> {after}"):
            group.transition_to(after, 5)


def test_the_table_contains_every_state() -> None:
    """As a key."""
    assert set(TRANSITIONS) == set(ClassicGroupState)


def test_a_rebalance_can_begin_in_all_states_except_preparing_rebalance_and_dead() -> None:
    """Kafka's canRebalance follows from the table."""
    group = ClassicGroup("g", 0)
    able = set()
    for state in ClassicGroupState:
        group.state = state
        if group.can_rebalance:
            able.add(state.value)

    assert able == PREVIOUS_STATES["PreparingRebalance"]
