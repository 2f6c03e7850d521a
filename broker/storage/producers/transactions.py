"""The unstable transactions of a log: undecided, or decided but not fully replicated (KIP-98).

The first of them limits what consumers with ``read_committed`` read (Kafka's ``ongoingTxns`` and
``unreplicatedTxns`` of ``ProducerStateManager``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from broker.storage.indexes.transaction_index import AbortedTxn


class CompletedTxn(NamedTuple):
    """A decided transaction; its marker is at ``last_offset``."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class ReleasedTxn(NamedTuple):
    """A decided transaction that limited the last stable offset for ``held_ms``.

    Its marker was replicated when the high watermark became ``high_watermark``.
    """

    completed: CompletedTxn
    high_watermark: int
    held_ms: float


class UnstableTxn(NamedTuple):
    """The transaction that limits the last stable offset, which has not moved for ``held_ms``.

    ``is_decided``: it has its marker, which is not fully replicated.
    """

    producer_id: int
    first_offset: int
    held_ms: float
    is_decided: bool


def no_time() -> float:
    """The time of a log without a clock."""
    return 0.0


class Transactions:
    """The unstable transactions; ``first_unstable_offset`` is their smallest first offset.

    ``ongoing`` has the producer ID of each undecided transaction by first offset, in ascending
    order. ``released`` is the last one whose release moved the last stable offset. *now_ms* returns
    monotonic milliseconds, for the durations.
    """

    __slots__ = (
        "_now_ms",
        "_since_ms",
        "_unreplicated",
        "first_unstable_offset",
        "ongoing",
        "released",
    )

    def __init__(
        self,
        ongoing: Iterable[tuple[int, int]] = (),
        now_ms: Callable[[], float] = no_time,
    ) -> None:
        self.ongoing: dict[int, int] = dict(sorted(ongoing))
        # By first offset.
        self._unreplicated: dict[int, CompletedTxn] = {}
        self.first_unstable_offset: int | None = None
        self.released: ReleasedTxn | None = None
        self._now_ms = now_ms
        # When `first_unstable_offset` last changed.
        self._since_ms = 0.0
        self._changed()

    def begin(self, first_offset: int, producer_id: int) -> None:
        """Add a transaction whose first batch has been written at the log end."""
        self.ongoing[first_offset] = producer_id
        self._changed()

    def complete(self, completed: CompletedTxn) -> AbortedTxn | None:
        """Complete a transaction; returns the entry for the transaction index if it was aborted."""
        self.ongoing.pop(completed.first_offset, None)
        self._unreplicated[completed.first_offset] = completed
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
            assert self.first_unstable_offset is not None
            first = self._unreplicated.get(self.first_unstable_offset)
            if first is not None and first.last_offset < high_watermark:
                held_ms = self._now_ms() - self._since_ms
                self.released = ReleasedTxn(first, high_watermark, held_ms)
            self._unreplicated = {
                first_offset: completed
                for first_offset, completed in self._unreplicated.items()
                if completed.last_offset >= high_watermark
            }
            self._changed()

    def first_unstable(self) -> UnstableTxn | None:
        """The transaction that limits the last stable offset; None if there is none."""
        first = self.first_unstable_offset
        if first is None:
            return None
        held_ms = self._now_ms() - self._since_ms
        if first in self.ongoing:
            return UnstableTxn(self.ongoing[first], first, held_ms, is_decided=False)
        producer_id = self._unreplicated[first].producer_id
        return UnstableTxn(producer_id, first, held_ms, is_decided=True)

    def _changed(self) -> None:
        first = next(iter(self.ongoing), None)
        if self._unreplicated:
            unreplicated = min(self._unreplicated)
            first = unreplicated if first is None else min(first, unreplicated)
        if first != self.first_unstable_offset:
            self.first_unstable_offset = first
            self._since_ms = self._now_ms()
