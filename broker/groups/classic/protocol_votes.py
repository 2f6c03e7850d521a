"""Selects the protocol of a group (``ClassicGroup.selectProtocol``).

A candidate is a protocol that all members support. Each member votes for the candidate that it
lists first; the candidate with most votes is selected. Among equals it is the first one in the
order of the ``HashMap`` of the votes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from broker.common.java_hash import in_checked_order
from broker.groups.classic.member import ClassicGroupMember


class SupportedProtocols:
    """The sets of names of the protocols that members support; most members have the same one."""

    __slots__ = ("_common", "_sets")

    def __init__(self) -> None:
        # Invariant: for each set of names, the number of the members that have it, which is not 0.
        self._sets: dict[frozenset[str], int] = {}
        # Invariant: the names in all sets, if they are known.
        self._common: frozenset[str] | None = None

    def add(self, names: frozenset[str]) -> None:
        """Count the protocols of a member."""
        count = self._sets.get(names, 0)
        self._sets[names] = count + 1
        if not count:
            self._common = None

    def remove(self, names: frozenset[str]) -> None:
        """Remove the protocols of a member that leaves or changes them."""
        count = self._sets[names]
        if count > 1:
            self._sets[names] = count - 1
        else:
            del self._sets[names]
            self._common = None

    def all_support_any(self, names: frozenset[str]) -> bool:
        """Whether all members support a protocol of *names*."""
        if not self._sets:
            return bool(names)
        return not self._supported_by_all().isdisjoint(names)

    def select(self, members: Collection[ClassicGroupMember]) -> str:
        """Return the protocol of the next generation; *members* is not empty."""
        assert members, "an empty group has no protocol"
        candidates = self._supported_by_all()
        votes = Counter(member.vote(candidates) for member in members)
        most = max(votes.values())
        equals = [name for name, count in votes.items() if count == most]
        if len(equals) == 1:
            return equals[0]
        return next(name for name in in_checked_order(votes) if votes[name] == most)

    def _supported_by_all(self) -> frozenset[str]:
        """The names in all sets; an intersection takes as long as that of its smaller set."""
        if self._common is None:
            self._common = frozenset.intersection(*sorted(self._sets, key=len))
        return self._common
