"""The in-flight records of a share partition: its window, and how far it has been fetched and done.

    start offset                                  end offset
         v                                            v
    ... [ACQUIRED][ACKNOWLEDGED][AVAILABLE][ACQUIRED]  next: new records

Kafka's ``SharePartition`` has these fields: ``startOffset``, ``endOffset``, ``cachedState``,
``findNextFetchOffset``, ``initialReadGapOffset`` and ``deliveryCompleteCount``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from broker.share.fetched_batches import FetchedBatch
from broker.share.gaps import Gaps
from broker.share.in_flight_batch import InFlightBatch, Run
from broker.share.in_flight_window import InFlightWindow
from broker.share.record_state import ARCHIVED, TERMINAL


class InFlightRecords:
    """The window from ``start_offset`` to ``end_offset``.

    Without records in flight both are the offset to be fetched next. ``complete_count`` is the
    number of terminal records from the start offset on (KIP-1226). ``find_next``: there may be
    available records or gaps before the end offset.
    """

    __slots__ = (
        "complete_count",
        "end_offset",
        "find_next",
        "gaps",
        "start_offset",
        "window",
    )

    def __init__(self, start_offset: int, window: InFlightWindow, gaps: Gaps) -> None:
        self.window = window
        self.gaps = gaps
        self.start_offset = self.end_offset = start_offset
        if window:
            self.end_offset = window.batches[-1].last
        self.find_next = bool(window)
        self.complete_count = terminal_count(window.runs(), start_offset)
        self.advance_start()

    @property
    def has_in_flight(self) -> bool:
        """Whether there are records from the start offset on."""
        batches = self.window.batches
        return bool(batches) and batches[-1].last >= self.start_offset

    @property
    def count(self) -> int:
        """The number of offsets in the window, those of complete records included."""
        return self.end_offset - self.start_offset + 1 if self.has_in_flight else 0

    def next_fetch_offset(self) -> int:
        """The first offset that can be acquired: available, in a gap, or new."""
        if self.find_next:
            found = self._first_available()
            if found is not None:
                return found
            self.find_next = False
        return self.end_offset + 1 if self.has_in_flight else self.end_offset

    def _first_available(self) -> int | None:
        position = self.start_offset
        for batch in self.window.batches:
            if self.gaps:
                gap = self.gaps.first_within(position, batch.first - 1)
                if gap is not None:
                    return gap
            for run in batch.runs:
                if run.last >= self.start_offset and run.is_available:
                    return max(run.first, self.start_offset)
            position = batch.last + 1
        return None

    def first_to_acquire(self, base_offset: int) -> int:
        """The first offset of a read from *base_offset* that may be acquired.

        A read begins with a whole batch, whose first records may be before the start offset. As in
        Kafka they are acquired if all batches in flight are before the read, which is so only if
        the log start has moved.
        """
        batches = self.window.batches
        if batches and batches[-1].last < base_offset:
            return base_offset
        return max(self.start_offset if self.has_in_flight else self.end_offset, base_offset)

    def fetched(self, first: int, end: int) -> None:
        """Close the gaps from *first* to before *end*, because these offsets have been read."""
        if self.gaps:
            self.gaps.close(first, end - 1)

    def extended(self, start_offset: int) -> None:
        """New records have been added; the window begins at *start_offset*."""
        self.start_offset = start_offset
        self.end_offset = max(self.end_offset, self.window.batches[-1].last)

    def archive_stale(self, fetch_offset: int, batches: Sequence[FetchedBatch]) -> None:
        """Archive available records that the log does not have any more: it was compacted.

        As in Kafka only those before the first batch of the read.
        """
        if batches[0].base_offset > fetch_offset:
            self._archive_available(fetch_offset, batches[0].base_offset - 1)

    def _archive_available(self, first: int, last: int) -> None:
        for batch, run in self.window.runs_touching(first, last):
            if run.is_available:
                part = batch.cut(run, first, last)
                part.state = ARCHIVED
                self.complete_count += terminal_count((part,), self.start_offset)

    def released(self) -> bool:
        """Records may be available now, or complete; returns whether the start offset moved."""
        self.find_next = True
        before = self.start_offset
        self._archive_below_start()
        self.advance_start()
        return self.start_offset > before

    def log_start_moved(self, log_start_offset: int) -> None:
        """Forget the records before *log_start_offset*.

        What members have acquired of them stays until they acknowledge it or the lock expires. As
        in Kafka, the others leave the window with the next change.
        """
        self._move_start(log_start_offset)
        if not self.has_in_flight:
            self.end_offset = log_start_offset
        self.find_next = True
        self._archive_below_start()

    def _archive_below_start(self) -> None:
        batches = self.window.batches
        if batches and batches[0].first < self.start_offset:
            self._archive_available(batches[0].first, self.start_offset - 1)

    def advance_start(self) -> None:
        """Move the start offset over complete records, and remove complete batches before it.

        As in Kafka it does not move while deleted records before it are acquired.
        """
        start, has_passed = self.start_offset, False
        if self._is_held_before(start):
            self._begin_at(start)
            return
        for batch in self.window.touching(start, self.end_offset):
            if self.gaps and self.gaps.first_within(start, batch.first - 1) is not None:
                break
            passed = self._passed(batch)
            if passed is not None:
                start, has_passed = passed, True
            elif has_passed:
                start = batch.first  # offsets between the batches have no records
            if passed is None or passed <= batch.last:
                break
        self._begin_at(start)

    def _is_held_before(self, offset: int) -> bool:
        for batch in self.window.batches:
            if batch.first >= offset:
                return False
            for run in batch.runs:
                if run.first < offset and not run.is_complete:
                    return True
        return False

    def _passed(self, batch: InFlightBatch) -> int | None:
        """The first offset of *batch* that is not complete; None if it is the first of all."""
        passed: int | None = None
        for run in batch.runs:
            if run.last >= self.start_offset:
                if not run.is_complete:
                    break
                passed = run.last + 1
        return passed

    def _begin_at(self, offset: int) -> None:
        self._move_start(offset)
        self.window.remove_complete_below(offset)
        # Deleted records before it that a member has acquired may still be in the window.
        if not self.has_in_flight:
            self.end_offset = self.start_offset

    def _move_start(self, offset: int) -> None:
        before = self.start_offset
        if offset > before:
            passed = [run for _, run in self.window.runs_touching(before, offset - 1)]
            self.complete_count -= terminal_count(passed, before, offset - 1)
            self.start_offset = offset
            if self.gaps:
                self.gaps.close(before, offset - 1)


def terminal_count(runs: Iterable[Run], first: int, last: int | None = None) -> int:
    """The number of offsets from *first* (to *last*) with a terminal state in *runs*."""
    count = 0
    for run in runs:
        if run.state in TERMINAL:
            end = run.last if last is None else min(run.last, last)
            count += max(0, end - max(run.first, first) + 1)
    return count
