"""The in-sync replicas of a partition, and the one change of them that may be under way.

The controller decides who is in sync; until it has answered, the leader is strict both ways. The
high watermark waits for the *maximal* set, whoever of the two sets is in it, while a produce with
acks=all needs enough members in the *committed* one (Kafka's ``PartitionState``).

    committed --expand--> pending: maximal = committed + newcomer --answer--> committed
              --shrink--> pending: maximal = committed            --answer--> committed
"""

from __future__ import annotations

from dataclasses import dataclass

from broker.common.errors import InvariantBroken


@dataclass(slots=True, frozen=True)
class IsrState:
    """``proposed`` is what the controller was asked for; None when nothing is under way."""

    committed: tuple[int, ...]
    maximal: tuple[int, ...]
    proposed: tuple[int, ...] | None = None

    @staticmethod
    def of(isr: tuple[int, ...]) -> IsrState:
        """What the controller has committed."""
        return IsrState(isr, isr)

    def pending_expand(self, newcomer: int) -> IsrState:
        """The controller is asked to add *newcomer*, which is waited for from now on."""
        assert self.proposed is None
        assert newcomer not in self.committed
        wider = (*self.committed, newcomer)
        return IsrState(self.committed, wider, wider)

    def pending_shrink(self, leavers: frozenset[int]) -> IsrState:
        """The controller is asked to drop *leavers*, which are waited for until it does."""
        assert self.proposed is None
        rest = tuple(node for node in self.committed if node not in leavers)
        if not rest:
            raise InvariantBroken("the leader would leave its own in-sync set")
        return IsrState(self.committed, self.committed, rest)
