"""The states of a classic group and their transitions (Kafka's ``ClassicGroupState``).

    Empty ---------> PreparingRebalance ---------> CompletingRebalance ---------> Stable
      ^  first join    |    ^   ^    all have joined    |     sync of the leader     |
      +----------------+    |   +-----------------------+                            |
        no members          +------ a member joins, changes, leaves or expires ------+

A group that is deleted or unloaded is Dead, from any state.
"""

from __future__ import annotations

from enum import StrEnum


class ClassicGroupState(StrEnum):
    """The values are the names in DescribeGroups and ListGroups responses."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


EMPTY = ClassicGroupState.EMPTY
PREPARING_REBALANCE = ClassicGroupState.PREPARING_REBALANCE
COMPLETING_REBALANCE = ClassicGroupState.COMPLETING_REBALANCE
STABLE = ClassicGroupState.STABLE
DEAD = ClassicGroupState.DEAD

TRANSITIONS: dict[ClassicGroupState, frozenset[ClassicGroupState]] = {
    EMPTY: frozenset({PREPARING_REBALANCE, DEAD}),
    PREPARING_REBALANCE: frozenset({COMPLETING_REBALANCE, EMPTY, DEAD}),
    COMPLETING_REBALANCE: frozenset({STABLE, PREPARING_REBALANCE, DEAD}),
    STABLE: frozenset({PREPARING_REBALANCE, DEAD}),
    DEAD: frozenset({DEAD}),
}
