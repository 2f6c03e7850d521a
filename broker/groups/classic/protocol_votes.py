"""How a group agrees on one of the protocols its members know.

Only a protocol that every member supports is a candidate; each member votes for the candidate it
lists first, and the most votes win. Among equals the protocol that was voted for first wins.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable

from broker.groups.classic.member import ClassicGroupMember
from broker.groups.classic.requests import MemberProtocol


class SupportedProtocols:
    """How many members support each protocol."""

    __slots__ = ("_supporters",)

    def __init__(self) -> None:
        # Invariant: sum over members of [name in member's protocols] == _supporters[name] > 0
        self._supporters: Counter[str] = Counter()

    def add(self, protocols: Iterable[MemberProtocol]) -> None:
        """Count a member that came."""
        self._supporters.update({protocol.name for protocol in protocols})

    def remove(self, protocols: Iterable[MemberProtocol]) -> None:
        """Discount a member that left, or that changed its mind."""
        for name in {protocol.name for protocol in protocols}:
            self._supporters[name] -= 1
            assert self._supporters[name] >= 0
            if not self._supporters[name]:
                del self._supporters[name]

    def all_support_any(self, protocols: Iterable[MemberProtocol], member_count: int) -> bool:
        """Whether one of *protocols* is known to each of the members."""
        return any(self._supporters[protocol.name] == member_count for protocol in protocols)

    def select(self, members: Collection[ClassicGroupMember]) -> str:
        """The protocol of the next generation."""
        assert members, "nobody votes in an empty group"
        candidates = {name for name, count in self._supporters.items() if count == len(members)}
        votes = Counter(member.vote(candidates) for member in members)
        return votes.most_common(1)[0][0]
