"""The records that are committed, by the high watermarks of all leaders so far.

Committed records never change: what is below a high watermark is the same on every replica, and no
member of an ISR may lack it (unless it was deleted since).
"""

from __future__ import annotations

from collections.abc import Iterator

from broker.storage.log.unified_log import UnifiedLog
from protocol.record_batch.batch import batches, records
from tests.simulation.violation import Violation

Batch = tuple[int, int, bytes]  # first offset, one past the last, all bytes


def batches_of(log: UnifiedLog, start: int, end: int) -> Iterator[Batch]:
    """The complete batches of a log from the one that contains *start* up to *end*."""
    while start < end:
        data = bytes(log.read(start, 1 << 20, log.log_end_offset_metadata, True).records)
        if not data:
            raise Violation(f"{log.topic_partition}: no records at {start}, before {end}")
        for position, header in batches(data):
            if header.base_offset >= end:
                return
            yield (
                header.base_offset,
                header.last_offset + 1,
                data[position : position + header.size],
            )
            start = header.last_offset + 1


class Committed:
    """The committed batches of a partition, by base offset."""

    def __init__(self) -> None:
        self.end = 0
        self.in_order: list[bytes] = []
        self._batches: dict[int, bytes] = {}
        self._values: dict[int, bytes | None] = {}

    def check(self, who: str, log: UnifiedLog, start: int, end: int) -> None:
        """Compare a log between two offsets with the committed batches, and add new ones."""
        for first, past, data in batches_of(log, start, end):
            known = self._batches.get(first)
            if known is None:
                self._add(first, past, data)
            elif known != data:
                raise Violation(
                    f"{who}: {_describe(data)} at {first}, where {_describe(known)} is committed"
                )

    def _add(self, first: int, past: int, data: bytes) -> None:
        for record in records(data):
            if record.offset in self._values:
                raise Violation(f"a batch from {first} to {past} overlaps a committed one")
            self._values[record.offset] = record.value
        self._batches[first] = data
        self.in_order.append(data)
        self.end = max(self.end, past)

    def value_at(self, offset: int) -> bytes | None:
        """The value committed at an offset; None if there is none."""
        return self._values.get(offset)

    def values(self) -> dict[int, bytes | None]:
        """All values, by offset."""
        return self._values


def _describe(data: bytes) -> str:
    return str([record.value for record in records(data)])
