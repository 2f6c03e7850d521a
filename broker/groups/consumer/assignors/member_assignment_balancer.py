"""The most and the least loaded members of a topic's readers, one after the other.

    load   ^            #      Two ranges of members with equal loads are worked on: the least
           |          [##]     loaded from the left, the most loaded from the right. When every
           |          [##]     member of a range has had its turn, the range has reached the next
           | [####]   [##]     level and grows by those who stand there. Members that have nothing
           +-----------------> to give are moved out at the right end.

Kafka's ``MemberAssignmentBalancer``. The caller moves one partition for each member it is told, and
keeps the loads, which are looked at again when a range grows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


class MemberAssignmentBalancer:
    """Picks members by their loads; both by number."""

    def __init__(self, members: Iterable[int], loads: Sequence[int]) -> None:
        self._loads = loads
        self._members = sorted(members, key=lambda member: (loads[member], member))
        assert self._members, "nobody to balance between"
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
        """Whether another move would improve nothing."""
        return self._most_load - self._least_load <= 1

    def next_least_loaded(self) -> int:
        """Who is to get the next partition."""
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
        """Who is to give the next partition; None if nobody has any."""
        members, loads = self._members, self._loads
        if self._next_most < self._most_start:
            if self._most_end <= self._most_start and self._most_start > 0:
                # All of the range was excluded: go on where the next members stand.
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
        """The member last told by `next_most_loaded` has nothing to give."""
        members, at = self._members, self._next_most + 1
        self._most_end -= 1
        members[at], members[self._most_end] = members[self._most_end], members[at]
