"""The unstable transactions of a log: undecided, or decided but not fully replicated (KIP-98).

The first of them limits what consumers with ``read_committed`` read. The broker does not serve
transactions; a log written by a Kafka broker, or replicated from one, may have them.
"""

from __future__ import annotations

from typing import NamedTuple

from broker.storage.transaction_index import AbortedTxn


class CompletedTxn(NamedTuple):
    """A decided transaction; its marker is at ``last_offset``."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class Transactions:
    """The unstable transactions; ``first_unstable_offset`` is their smallest first offset."""

    __slots__ = ("_ongoing", "_unreplicated", "first_unstable_offset")

    def __init__(self) -> None:
        # By first offset: the undecided ones; the last offsets of decided, unreplicated ones.
        self._ongoing: dict[int, None] = {}
        self._unreplicated: dict[int, int] = {}
        self.first_unstable_offset: int | None = None

    def begin(self, first_offset: int) -> None:
        """Add a transaction whose first batch has been written."""
        self._ongoing[first_offset] = None
        self._changed()

    def complete(self, completed: CompletedTxn) -> AbortedTxn | None:
        """Complete a transaction; returns the entry for the transaction index if it was aborted."""
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
        """Remove the transactions whose markers are below *high_watermark*."""
        if self._unreplicated:
            self._unreplicated = {
                first: last for first, last in self._unreplicated.items() if last >= high_watermark
            }
            self._changed()

    def _changed(self) -> None:
        self.first_unstable_offset = min((*self._ongoing, *self._unreplicated), default=None)
