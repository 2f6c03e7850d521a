"""Which transactions of a log are not decided, or decided but not known to every replica (KIP-98).

The first of them bounds what readers of committed records see. The broker serves no transactions of
its own; a log that comes from a Kafka, or from a leader, may have some.
"""

from __future__ import annotations

from typing import NamedTuple

from broker.storage.transaction_index import AbortedTxn


class CompletedTxn(NamedTuple):
    """A transaction with its end: the marker lies at ``last_offset``."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class Transactions:
    """Invariant: ``first_unstable_offset`` is the smallest first offset of all of them."""

    __slots__ = ("_ongoing", "_unreplicated", "first_unstable_offset")

    def __init__(self) -> None:
        # By first offset: the undecided ones, and the last offsets of those decided since.
        self._ongoing: dict[int, None] = {}
        self._unreplicated: dict[int, int] = {}
        self.first_unstable_offset: int | None = None

    def begin(self, first_offset: int) -> None:
        """A producer has written the first batch of a transaction."""
        self._ongoing[first_offset] = None
        self._changed()

    def complete(self, completed: CompletedTxn) -> AbortedTxn | None:
        """A marker has been written; returns what the transaction index must know."""
        self._ongoing.pop(completed.first_offset, None)
        self._unreplicated[completed.first_offset] = completed.last_offset
        self._changed()
        if not completed.is_aborted:
            return None
        last_stable_offset = min(self._ongoing, default=completed.last_offset + 1)
        return AbortedTxn(
            completed.producer_id,
            completed.first_offset,
            completed.last_offset,
            last_stable_offset,
        )

    def replicated(self, high_watermark: int) -> None:
        """Every replica has what lies below *high_watermark*."""
        if self._unreplicated:
            self._unreplicated = {
                first: last for first, last in self._unreplicated.items() if last >= high_watermark
            }
            self._changed()

    def _changed(self) -> None:
        self.first_unstable_offset = min((*self._ongoing, *self._unreplicated), default=None)
