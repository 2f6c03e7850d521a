"""Acquires records for a member: first those that are available again, then new ones.

    read       [ batch 0-9 ] [ batch 10-19 ] [ batch 20-29 ] [ batch 30-39 ]
    in flight  [ ACK ][ AVAIL ][ ACQUIRED  ]
                       acquired              ^ new: whole batches, or exactly max_records

Offsets that were read and are not in flight are new: those after the end offset, and gaps. KIP-932;
Kafka's ``SharePartition.acquire``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from broker.share.acquisition_lock import AcquisitionLock
from broker.share.delivery_throttle import DeliveryThrottle
from broker.share.fetched_batches import FetchedBatch
from broker.share.gaps import Gaps
from broker.share.in_flight_batch import InFlightBatch, Run
from broker.share.in_flight_window import InFlightWindow
from broker.share.record_state import AVAILABLE

# `AcquiredRecords.__new__` is interpreted in all builds.
_new: Final = tuple.__new__


class AcquireMode(IntEnum):
    """Whether whole record batches are acquired, or at most ``max_records`` (KIP-1206)."""

    BATCH_OPTIMIZED = 0
    RECORD_LIMIT = 1


class AcquiredRecords(NamedTuple):
    """Offsets that a member has acquired, and how often they have been delivered."""

    first: int
    last: int
    delivery_count: int


class Acquisition:
    """One call of acquire: what it may take, and what it has taken."""

    __slots__ = (
        "_batch_size",
        "_batches",
        "_exact",
        "_gaps",
        "_lock",
        "_member_id",
        "_remaining",
        "_throttle",
        "_window",
        "acquired",
        "position",
    )

    def __init__(
        self,
        window: InFlightWindow,
        gaps: Gaps,
        batches: Sequence[FetchedBatch],
        member_id: str,
        max_records: int,
        batch_size: int,
        mode: AcquireMode,
        throttle: DeliveryThrottle,
        lock: AcquisitionLock,
    ) -> None:
        self._window = window
        self._gaps = gaps
        self._batches = batches
        self._member_id = member_id
        self._remaining = max_records
        self._batch_size = batch_size
        self._exact = mode is AcquireMode.RECORD_LIMIT
        self._throttle = throttle
        self._lock = lock
        self.acquired: list[AcquiredRecords] = []
        # The first offset that was not looked at.
        self.position = 0

    def run(self, first: int, last: int) -> None:
        """Acquire records from *first* to *last*."""
        self.position = first
        for batch in self._window.touching(first, last):
            self._acquire_new(self.position, batch.first - 1)
            if self._remaining <= 0:
                return
            self._acquire_again(batch, max(first, batch.first), min(last, batch.last))
            if self._remaining <= 0:
                return
            self.position = batch.last + 1
        self._acquire_new(self.position, last)

    # ---------------------------------------------------------------------- records in flight

    def _acquire_again(self, batch: InFlightBatch, first: int, last: int) -> None:
        throttled = self._throttle.applies(batch, first, last)
        if throttled and self.acquired:
            self._remaining = 0  # a bad record does not join others
            return
        before = len(self.acquired)
        whole = batch.runs[0]
        if not (throttled or batch.is_split) and self._fits(batch, first, last):
            if whole.is_available:
                self._take(whole)
            return
        batch.is_split |= whole.is_available
        self._acquire_runs(batch, first, last)
        if throttled and len(self.acquired) > before:
            self._remaining = 0

    def _fits(self, batch: InFlightBatch, first: int, last: int) -> bool:
        whole = first == batch.first and last == batch.last
        return whole and not (self._exact and len(batch) > self._remaining)

    def _acquire_runs(self, batch: InFlightBatch, first: int, last: int) -> None:
        """Acquire single runs of a batch; from a throttled one on at most as many as it allows.

        The count that may not be exceeded is that of all records of the batch, also those before
        the throttled one. As in Kafka it is no limit if these are more already.
        """
        count = 0
        most: int | None = None
        for run in batch.runs_touching(first, last):
            if not run.is_available:
                continue
            is_last = self._throttle.is_last(run.delivery_count)
            if is_last and count:
                return
            if most is None:
                most = self._throttle.most_together(batch, run.delivery_count)
            end = min(run.last, last)
            begin = max(run.first, first)
            if is_last:
                end = begin
            if most is not None and count < most:
                end = min(end, begin + most - count - 1)
            if self._exact:
                end = min(end, begin + self._remaining - 1)
            count += end - begin + 1
            self._take(batch.cut(run, begin, end), join=count > end - begin + 1)
            if is_last or count == most:
                return
            if self._exact and self._remaining <= 0:
                return

    def _take(self, run: Run, *, join: bool = False) -> None:
        run.acquire(self._member_id, self._lock)
        self._remaining -= len(run)
        self._add(run.first, run.last, run.delivery_count, join=join)

    def _add(self, first: int, last: int, delivery_count: int, *, join: bool = False) -> None:
        """Add acquired records; *join*: to those before, if they are of the same batch."""
        if join:
            before = self.acquired[-1]
            if before.last + 1 == first and before.delivery_count == delivery_count:
                self.acquired[-1] = before._replace(last=last)
                return
        self.acquired.append(_new(AcquiredRecords, (first, last, delivery_count)))

    # ---------------------------------------------------------------------------- new records

    def _acquire_new(self, first: int, last: int) -> None:
        """Acquire what was read from *first* to *last* and is not in flight.

        As in Kafka these are all offsets after the batch before, also those without records.
        """
        if first > last or self._remaining <= 0:
            return
        read = [
            each for each in self._batches if each.last_offset >= first and each.base_offset <= last
        ]
        if not read and self._gaps.first_within(first, last) is None:
            return
        limit = first + self._remaining - 1
        if limit < last:
            read = [each for each in read if each.base_offset <= limit]
            last = min(last, max(limit, read[-1].last_offset)) if read else limit
        exact_end = limit if self._exact else last
        for begin, end in self._ranges(read, first, last):
            self._add_new(begin, end, exact_end)
        self.position = last + 1

    def _ranges(self, read: Sequence[FetchedBatch], first: int, last: int) -> list[tuple[int, int]]:
        """Split at the first batch after each ``batch_size`` offsets, unless the limit is exact.

        As in Kafka, a size that is not positive has an empty range at first.
        """
        ranges, begin = [], first
        if not self._exact and last - first + 1 > self._batch_size:
            size = max(0, self._batch_size)
            for each in read:
                if each.base_offset - begin >= size:
                    ranges.append((begin, each.base_offset - 1))
                    begin = each.base_offset
        ranges.append((begin, last))
        return ranges

    def _add_new(self, first: int, last: int, exact_end: int) -> None:
        if first > last:
            self.acquired.append(_new(AcquiredRecords, (first, last, 1)))
            return
        batch = InFlightBatch(Run(first, last, AVAILABLE, 0))
        self._window.add(batch)
        if first <= exact_end:
            self._take(batch.cut(batch.runs[0], first, min(last, exact_end)))
