"""Selects the protocol of a group (``ClassicGroup.selectProtocol``).

A candidate is a protocol that all members support. Each member votes for the candidate that it
lists first; the candidate with most votes is selected. Among equals it is the one with the earliest
vote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from broker.groups.classic.member import ClassicGroupMember
from broker.groups.classic.requests import MemberProtocol


class SupportedProtocols:
    """The number of members that support each protocol."""

    __slots__ = ("_supporters",)

    def __init__(self) -> None:
        # Invariant: sum over members of [name in member's protocols] == _supporters[name] > 0
        self._supporters: Counter[str] = Counter()

    def add(self, protocols: Iterable[MemberProtocol]) -> None:
        """Count the protocols of a member."""
        self._supporters.update({protocol.name for protocol in protocols})

    def remove(self, protocols: Iterable[MemberProtocol]) -> None:
        """Remove the protocols of a member that leaves or changes them."""
        for name in {protocol.name for protocol in protocols}:
            self._supporters[name] -= 1
            assert self._supporters[name] >= 0
            if not self._supporters[name]:
                del self._supporters[name]

    def all_support_any(self, protocols: Iterable[MemberProtocol], member_count: int) -> bool:
        """Whether all of *member_count* members support one of *protocols*."""
        return any(self._supporters[protocol.name] == member_count for protocol in protocols)

    def select(self, members: Collection[ClassicGroupMember]) -> str:
        """Return the protocol of the next generation; *members* is not empty."""
        assert members, "an empty group has no protocol"
        candidates = {name for name, count in self._supporters.items() if count == len(members)}
        votes = Counter(member.vote(candidates) for member in members)
        return votes.most_common(1)[0][0]
