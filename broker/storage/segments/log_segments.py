"""The segments of a log by base offset (Kafka's ``LogSegments``)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from broker.common.errors import InvariantBroken
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log_config import LogConfig
from broker.storage.segments.file_slice import READ_AT_ONCE_BYTES, FileSlice
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from broker.storage.segments.read_cache import FetchDataInfo, SliceInfo
from broker.storage.segments.segment import LogSegment


class LogSegments:
    """At least one segment. Invariant: base offsets increase; the last one is active."""

    __slots__ = ("_bases", "_inactive_bytes", "_segments", "active")

    def __init__(self, segments: Iterable[LogSegment]) -> None:
        self._segments = sorted(segments, key=lambda segment: segment.base_offset)
        self._bases = [segment.base_offset for segment in self._segments]
        self.active = self._segments[-1]
        # A log may have thousands of segments, of which only the active one changes its size.
        self._inactive_bytes = _size_of(self._segments[:-1])

    def __iter__(self) -> Iterator[LogSegment]:
        return iter(self._segments)

    def __len__(self) -> int:
        return len(self._segments)

    @property
    def first(self) -> LogSegment:
        """The oldest segment."""
        return self._segments[0]

    @property
    def base_offsets(self) -> list[int]:
        """The base offset of each segment."""
        return list(self._bases)

    @property
    def size_bytes(self) -> int:
        """Bytes of all batches."""
        return self._inactive_bytes + self.active.size

    def add(self, segment: LogSegment) -> None:
        """Add the new active segment."""
        if segment.base_offset <= self._bases[-1]:
            raise InvariantBroken(
                f"a segment would begin at {segment.base_offset}, before the last at "
                f"{self._bases[-1]}"
            )
        self._segments.append(segment)
        self._bases.append(segment.base_offset)
        self._inactive_bytes += self.active.size
        self.active = segment

    def has(self, segment: LogSegment) -> bool:
        """Whether *segment* belongs to the log."""
        at = bisect_left(self._bases, segment.base_offset)
        return at < len(self._segments) and self._segments[at] is segment

    def inactive(self) -> list[tuple[LogSegment, int]]:
        """All segments but the active one, each with its end offset."""
        return list(zip(self._segments, self._bases[1:], strict=False))

    def from_offset(self, offset: int) -> Iterator[LogSegment]:
        """The segment of *offset* and all later ones."""
        start = max(0, bisect_right(self._bases, offset) - 1)
        return iter(self._segments[start:])

    def locate(self, offset: int) -> LogOffsetMetadata | None:
        """Where the batch with *offset* begins, or the next one; None if there is none."""
        for segment in self.from_offset(offset):
            place = segment.locate(offset)
            if place is not None:
                return LogOffsetMetadata(offset, segment.base_offset, place[0])
        return None

    def read(
        self, start_offset: int, max_bytes: int, upper: LogOffsetMetadata, min_one_message: bool
    ) -> FetchDataInfo | SliceInfo | None:
        """Stored bytes of one segment, at most up to *upper*; None if there are none.

        More than `READ_AT_ONCE_BYTES` are read later, when they are sent. Raises OSError.
        """
        for segment in self.from_offset(start_offset):
            place = segment.locate(start_offset)
            if place is None:
                continue
            position, batch_size = place
            limit = max(max_bytes, batch_size) if min_one_message else max_bytes
            if segment.base_offset == upper.segment_base_offset:
                size = min(limit, upper.relative_position_in_segment - position)
            elif segment.base_offset < upper.segment_base_offset:
                size = min(limit, segment.size - position)
            else:
                size = 0  # the position of the bound is unknown or in an earlier segment
            start = LogOffsetMetadata(start_offset, segment.base_offset, position)
            if size <= 0:
                return FetchDataInfo(start, b"")
            if size > READ_AT_ONCE_BYTES:
                records = FileSlice(segment.file, position, size)
                return SliceInfo(start, records, limit < batch_size)
            return FetchDataInfo(start, segment.read(position, size), limit < batch_size)
        return None

    def aborted_transactions(self, start_offset: int, end_offset: int) -> list[AbortedTxn]:
        """The aborted transactions with records between the offsets. Raises OSError."""
        found: list[AbortedTxn] = []
        for segment in self.from_offset(start_offset):
            if segment.transactions.collect(start_offset, end_offset, found):
                break
        return found

    def aborted_in_read(
        self, start: LogOffsetMetadata, size: int, log_end: int
    ) -> list[AbortedTxn]:
        """The aborted transactions that may have records in *size* bytes from *start* on.

        The end of the read is estimated, as in Kafka: it is the next entry of the offset index,
        else the next segment, else *log_end*. So there may be transactions that begin after the
        read. Raises OSError.
        """
        segments = list(self.from_offset(start.segment_base_offset))
        for segment in segments:
            if segment.transactions.entries:
                break
        else:
            return []
        end = segments[0].offset_index.upper_bound(start.relative_position_in_segment + size)
        if end is None:
            end = segments[1].base_offset if len(segments) > 1 else log_end
        return self.aborted_transactions(start.message_offset, end)

    def deletable(
        self,
        config: LogConfig,
        log_start: int,
        high_watermark: int,
        log_end: int,
        now_ms: int,
        most: int,
    ) -> tuple[int, int]:
        """How many of the oldest segments may be deleted, and the log start offset after that.

        At most the first *most* are examined. A segment may be deleted only if it ends at or below
        the high watermark, and the active one only if it has batches. Raises OSError.
        """
        count = 0
        excess = self.size_bytes - config.retention_bytes
        deletes = "delete" in config.cleanup_policy
        for segment in islice(self._segments, most):
            is_active = segment is self.active
            end = log_end if is_active else self._bases[count + 1]
            if end > high_watermark or (is_active and not segment.size):
                break
            too_old = 0 <= config.retention_ms < now_ms - segment.newest_ms()
            too_much = config.retention_bytes >= 0 and excess >= segment.size
            expired = deletes and (too_old or too_much)
            if not expired and (is_active or end > log_start):
                break
            excess -= segment.size
            log_start = max(log_start, end)
            count += 1
        return count, log_start

    def drop_first(self, count: int) -> list[LogSegment]:
        """Remove and return the *count* oldest; one must remain."""
        assert count < len(self._segments)
        dropped = self._segments[:count]
        del self._segments[:count], self._bases[:count]
        self._inactive_bytes -= _size_of(dropped)
        return dropped

    def drop_from(self, offset: int) -> list[LogSegment]:
        """Remove and return, newest first, all that begin after *offset*; one remains."""
        keep = max(1, bisect_right(self._bases, offset))
        dropped = self._segments[keep:]
        del self._segments[keep:], self._bases[keep:]
        self.active = self._segments[-1]
        self._inactive_bytes = _size_of(self._segments[:-1])
        return dropped[::-1]

    def replace(self, segments: Sequence[LogSegment], segment: LogSegment) -> None:
        """Replace adjacent, inactive *segments* by *segment*, which has the base of the first."""
        if self.active in segments:
            raise InvariantBroken(f"the active segment at {self.active.base_offset} was compacted")
        first = bisect_left(self._bases, segment.base_offset)
        if self._segments[first : first + len(segments)] != list(segments):
            raise InvariantBroken(f"compacted segments at {segment.base_offset} are not adjacent")
        self._segments[first : first + len(segments)] = [segment]
        self._bases[first : first + len(segments)] = [segment.base_offset]
        self._inactive_bytes += segment.size - _size_of(segments)

    def replace_all(self, segment: LogSegment) -> None:
        """Replace all segments by *segment*."""
        self._segments, self._bases = [segment], [segment.base_offset]
        self.active, self._inactive_bytes = segment, 0


def _size_of(segments: Iterable[LogSegment]) -> int:
    return sum(segment.size for segment in segments)
