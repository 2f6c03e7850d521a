"""Selects the most and the least loaded of the members that subscribe to a topic.

    load   ^            #      There are two ranges of members with equal loads: the least loaded
           |          [##]     at the left, the most loaded at the right. When every member of a
           |          [##]     range was returned once, the load of the range has reached the next
           | [####]   [##]     level, and the members with that load are added to it. Members
           +-----------------> without a partition of the topic are excluded at the right end.

Kafka's ``MemberAssignmentBalancer``. The caller moves one partition for each returned member and
updates the loads, which are read again when a range grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class MemberAssignmentBalancer:
    """Selects members, given by index into *loads*."""

    def __init__(self, members: Iterable[int], loads: Sequence[int]) -> None:
        self._loads = loads
        self._members = sorted(members, key=lambda member: (loads[member], member))
        assert self._members, "a topic without subscribers cannot be balanced"
        lowest, highest = loads[self._members[0]], loads[self._members[-1]]
        self.imbalance = highest - lowest
        self._least_end = 0
        self._least_load = lowest - 1
        self._next_least = 0
        self._most_start = self._most_end = len(self._members)
        self._most_load = highest + 1
        self._next_most = len(self._members) - 1

    @property
    def is_balanced(self) -> bool:
        """Whether another move would not improve the balance."""
        return self._most_load - self._least_load <= 1

    def next_least_loaded(self) -> int:
        """The member that gets the next partition."""
        members, loads = self._members, self._loads
        if self._next_least >= self._least_end:
            self._least_load += 1
            while (
                self._least_end < len(members)
                and loads[members[self._least_end]] == self._least_load
            ):
                self._least_end += 1
            self._next_least = 0
        member = members[self._next_least]
        self._next_least += 1
        return member

    def next_most_loaded(self) -> int | None:
        """The member that loses the next partition; None if all members are excluded."""
        members, loads = self._members, self._loads
        if self._next_most < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                # All of the range was excluded: continue with the load of the next members.
                self._most_load = loads[members[self._most_start - 1]]
            else:
                self._most_load -= 1
            while self._most_start > 0 and loads[members[self._most_start - 1]] == self._most_load:
                self._most_start -= 1
            self._next_most = self._most_end - 1
        if self._next_most < 0:
            return None
        member = members[self._next_most]
        self._next_most -= 1
        return member

    def exclude_most_loaded(self) -> None:
        """Exclude the last result of `next_most_loaded`, which has no partition of the topic."""
        members, at = self._members, self._next_most + 1
        self._most_end -= 1
        members[at], members[self._most_end] = members[self._most_end], members[at]
