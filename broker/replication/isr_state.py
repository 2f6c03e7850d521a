"""The in-sync replicas of a partition, and the one change of them that may be pending.

The controller decides the ISR. Until it has responded, the leader assumes the stricter of both
sets: the high watermark waits for the *maximal* set, and a produce with acks=all requires enough
members in the *committed* one (Kafka's ``PartitionState``).

    committed --expand--> pending: maximal = committed + newcomer --response--> committed
              --shrink--> pending: maximal = committed            --response--> committed
"""

from __future__ import annotations

from broker.common.errors import InvariantBroken
from protocol.lazy_dataclass import dataclass


@dataclass(slots=True, frozen=True)
class IsrState:
    """``proposed`` is the ISR requested from the controller; None when no change is pending."""

    committed: tuple[int, ...]
    maximal: tuple[int, ...]
    proposed: tuple[int, ...] | None = None

    @staticmethod
    def of(isr: tuple[int, ...]) -> IsrState:
        """The state of a committed ISR."""
        return IsrState(isr, isr)

    def pending_expand(self, newcomer: int) -> IsrState:
        """The state after requesting to add *newcomer*, which counts as in sync from now on."""
        assert self.proposed is None
        assert newcomer not in self.committed
        wider = (*self.committed, newcomer)
        return IsrState(self.committed, wider, wider)

    def pending_shrink(self, leavers: frozenset[int]) -> IsrState:
        """The state after requesting to remove *leavers*; they count as in sync until then."""
        assert self.proposed is None
        rest = tuple(node for node in self.committed if node not in leavers)
        if not rest:
            raise InvariantBroken("a leader cannot remove itself from the ISR")
        return IsrState(self.committed, self.committed, rest)
