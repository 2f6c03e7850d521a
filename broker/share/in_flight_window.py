"""The in-flight batches of a share partition, in the order of their offsets.

Offsets between two batches have no records, or are gaps (`broker.share.gaps`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator

from broker.share.in_flight_batch import InFlightBatch, Run


class InFlightWindow:
    """Batches that do not overlap, sorted."""

    __slots__ = ("_firsts", "batches")

    def __init__(self) -> None:
        self.batches: list[InFlightBatch] = []
        self._firsts: list[int] = []

    def __len__(self) -> int:
        return len(self.batches)

    def add(self, batch: InFlightBatch) -> None:
        """Add a batch, which overlaps no other."""
        if not self._firsts or batch.first > self._firsts[-1]:
            assert not self.batches or batch.first > self.batches[-1].last
            self.batches.append(batch)
            self._firsts.append(batch.first)
            return
        at = bisect_right(self._firsts, batch.first)
        assert batch.last < self._firsts[at]
        assert at == 0 or batch.first > self.batches[at - 1].last
        self.batches.insert(at, batch)
        self._firsts.insert(at, batch.first)

    def floor(self, offset: int) -> InFlightBatch | None:
        """The last batch that begins at or before *offset*."""
        end = bisect_right(self._firsts, offset)
        return self.batches[end - 1] if end else None

    def touching(self, first: int, last: int) -> list[InFlightBatch]:
        """The batches that have offsets from *first* to *last*."""
        firsts = self._firsts
        begin = bisect_right(firsts, first)
        if begin and self.batches[begin - 1].last >= first:
            begin -= 1
        return self.batches[begin : bisect_right(firsts, last, lo=begin)]

    def runs_touching(self, first: int, last: int) -> list[tuple[InFlightBatch, Run]]:
        """The runs that have offsets from *first* to *last*, with their batches."""
        return [
            (batch, run)
            for batch in self.touching(first, last)
            for run in batch.runs_touching(first, last)
        ]

    def runs_within(self, first: int, last: int) -> list[Run]:
        """The runs that have offsets from *first* to *last*, split at both."""
        return [batch.cut(run, first, last) for batch, run in self.runs_touching(first, last)]

    def runs(self) -> Iterator[Run]:
        """All runs."""
        for batch in self.batches:
            yield from batch.runs

    def remove_complete_below(self, offset: int) -> None:
        """Remove the batches that end before *offset* and are complete."""
        end = bisect_right(self._firsts, offset - 1)
        kept = [each for each in self.batches[:end] if each.last >= offset or not each.is_complete]
        if len(kept) < end:
            self.batches[:end] = kept
            self._firsts[:end] = [each.first for each in kept]
