"""The states of a classic group, and which may follow which (Kafka's ``ClassicGroupState``).

    Empty ---------> PreparingRebalance ---------> CompletingRebalance ---------> Stable
      ^  first join    |    ^   ^     all are there     |        the leader's sync   |
      +----------------+    |   +-----------------------+                            |
       nobody is left       +---- somebody joins, changes, leaves or falls silent ---+

A group that is deleted, or whose coordinator moves away, is Dead from whatever state.
"""

from __future__ import annotations

from enum import StrEnum


class GroupState(StrEnum):
    """Where a group is; the values are the names that DescribeGroups and ListGroups use."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


EMPTY = GroupState.EMPTY
PREPARING_REBALANCE = GroupState.PREPARING_REBALANCE
COMPLETING_REBALANCE = GroupState.COMPLETING_REBALANCE
STABLE = GroupState.STABLE
DEAD = GroupState.DEAD

TRANSITIONS: dict[GroupState, frozenset[GroupState]] = {
    EMPTY: frozenset({PREPARING_REBALANCE, DEAD}),
    PREPARING_REBALANCE: frozenset({COMPLETING_REBALANCE, EMPTY, DEAD}),
    COMPLETING_REBALANCE: frozenset({STABLE, PREPARING_REBALANCE, DEAD}),
    STABLE: frozenset({PREPARING_REBALANCE, DEAD}),
    DEAD: frozenset({DEAD}),
}
