"""What has been committed so far, by what any leader's high watermark has ever told.

A promise is kept for ever: what lies below a high watermark is the same on every replica that has
it, and no member of an in-sync set may lack it (unless it was deleted since).
"""

from __future__ import annotations

from collections.abc import Iterator

from broker.storage.unified_log import UnifiedLog
from protocol.record_batch.batch import batches, records
from tests.simulation.violation import Violation

Batch = tuple[int, int, bytes]  # first offset, one past the last, all bytes


def batches_of(log: UnifiedLog, start: int, end: int) -> Iterator[Batch]:
    """The whole batches of a log from the one that holds *start* up to *end*."""
    while start < end:
        data = bytes(log.read(start, 1 << 20, log.log_end_offset_metadata, True).records)
        if not data:
            raise Violation(f"{log.topic_partition}: nothing to read at {start}, before {end}")
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
    """One partition's committed batches, by their first offset."""

    def __init__(self) -> None:
        self.end = 0
        self._batches: dict[int, bytes] = {}
        self._values: dict[int, bytes | None] = {}

    def check(self, who: str, log: UnifiedLog, start: int, end: int) -> None:
        """Compare a log between two offsets with what is committed, and learn what is new."""
        for first, past, data in batches_of(log, start, end):
            known = self._batches.get(first)
            if known is None:
                self._learn(first, past, data)
            elif known != data:
                raise Violation(
                    f"{who}: has {_told(data)} at offset {first}, where {_told(known)} is committed"
                )

    def _learn(self, first: int, past: int, data: bytes) -> None:
        for record in records(data):
            if record.offset in self._values:
                raise Violation(f"a batch from {first} to {past} overlaps what is committed")
            self._values[record.offset] = record.value
        self._batches[first] = data
        self.end = max(self.end, past)

    def value_at(self, offset: int) -> bytes | None:
        """The value committed at an offset; None if there is none."""
        return self._values.get(offset)

    def values(self) -> dict[int, bytes | None]:
        """All of them, by offset."""
        return self._values


def _told(data: bytes) -> str:
    return str([record.value for record in records(data)])
