"""The unstable transactions of a log: undecided, or decided but not fully replicated (KIP-98).

The first of them limits what consumers with ``read_committed`` read (Kafka's ``ongoingTxns`` and
``unreplicatedTxns`` of ``ProducerStateManager``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from broker.storage.transaction_index import AbortedTxn


class CompletedTxn(NamedTuple):
    """A decided transaction; its marker is at ``last_offset``."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class Transactions:
    """The unstable transactions; ``first_unstable_offset`` is their smallest first offset.

    ``ongoing`` has the producer ID of each undecided transaction by first offset, in ascending
    order.
    """

    __slots__ = ("_unreplicated", "first_unstable_offset", "ongoing")

    def __init__(self, ongoing: Iterable[tuple[int, int]] = ()) -> None:
        self.ongoing: dict[int, int] = dict(sorted(ongoing))
        # By first offset: the last offsets of decided transactions.
        self._unreplicated: dict[int, int] = {}
        self.first_unstable_offset: int | None = None
        self._changed()

    def begin(self, first_offset: int, producer_id: int) -> None:
        """Add a transaction whose first batch has been written at the log end."""
        self.ongoing[first_offset] = producer_id
        self._changed()

    def complete(self, completed: CompletedTxn) -> AbortedTxn | None:
        """Complete a transaction; returns the entry for the transaction index if it was aborted."""
        self.ongoing.pop(completed.first_offset, None)
        self._unreplicated[completed.first_offset] = completed.last_offset
        self._changed()
        if not completed.is_aborted:
            return None
        return AbortedTxn(
            completed.producer_id,
            completed.first_offset,
            completed.last_offset,
            next(iter(self.ongoing), completed.last_offset + 1),
        )

    def replicated(self, high_watermark: int) -> None:
        """Remove the transactions whose markers are below *high_watermark*."""
        if self._unreplicated:
            self._unreplicated = {
                first: last for first, last in self._unreplicated.items() if last >= high_watermark
            }
            self._changed()

    def _changed(self) -> None:
        first = next(iter(self.ongoing), None)
        if self._unreplicated:
            unreplicated = min(self._unreplicated)
            first = unreplicated if first is None else min(first, unreplicated)
        self.first_unstable_offset = first
