"""A segment: a file of batches back to back, with its two sparse indexes (Kafka's ``LogSegment``).

Batches are found by the indexes, except the latest ones, whose places are also kept in memory
exactly: most readers follow the log's end.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path
from random import randrange
from struct import Struct
from typing import NamedTuple

from broker.storage.disk import Disk, DiskFile
from broker.storage.log_config import LogConfig
from broker.storage.offset_index import OffsetIndex
from broker.storage.time_index import TimeIndex
from protocol.records import (
    HEADER_BYTES,
    INT32_MAX,
    NO_TIMESTAMP,
    BatchHeader,
    read_header,
    records,
)

_BASE_LENGTH_DELTA = Struct(">qi11xi")
_SCAN_BYTES = 8192
_WALK_BYTES = 1024 * 1024
_RECENT_MAX = 256


class BatchPlace(NamedTuple):
    """Where a batch lies in its segment."""

    position: int
    size: int


class TimestampAndOffset(NamedTuple):
    """A record found by time, with the leader epoch that its batch was written in."""

    offset: int
    timestamp: int
    leader_epoch: int


def log_file_name(base_offset: int) -> str:
    """The part of a segment's file names before the suffix."""
    return f"{base_offset:020d}"


class LogSegment:
    """Batches from ``base_offset`` on.

    Invariant: ``size`` bytes of the file are whole batches; what lies behind is not there.
    """

    __slots__ = (
        "_bytes_since_last_index_entry",
        "_index_interval_bytes",
        "_recent_from",
        "_recent_last_offsets",
        "_recent_positions",
        "base_offset",
        "created_ms",
        "file",
        "max_timestamp",
        "offset_index",
        "offset_of_max_timestamp",
        "roll_jitter_ms",
        "rolling_timestamp",
        "size",
        "time_index",
    )

    def __init__(
        self,
        directory: Path,
        base_offset: int,
        config: LogConfig,
        disk: Disk,
        created_ms: int,
    ) -> None:
        name = log_file_name(base_offset)
        self.base_offset = base_offset
        self.file: DiskFile = disk.file(directory / f"{name}.log")
        self.size = self.file.size()
        index_max = config.segment_index_bytes
        index_file = disk.file(directory / f"{name}.index")
        self.offset_index = OffsetIndex(index_file, base_offset, index_max)
        time_file = disk.file(directory / f"{name}.timeindex")
        self.time_index = TimeIndex(time_file, base_offset, index_max)
        self.created_ms = created_ms
        jitter_ms = min(config.segment_jitter_ms, config.segment_ms)
        self.roll_jitter_ms = randrange(jitter_ms) if jitter_ms else 0  # noqa: S311 - no secret
        # The first batch's largest timestamp: by it the segment's age is told (KIP-33).
        self.rolling_timestamp = NO_TIMESTAMP
        self.max_timestamp = NO_TIMESTAMP
        self.offset_of_max_timestamp = base_offset
        self._index_interval_bytes = config.index_interval_bytes
        self._bytes_since_last_index_entry = 0
        self._forget_recent()

    @staticmethod
    def create(
        directory: Path, base_offset: int, config: LogConfig, disk: Disk, created_ms: int
    ) -> LogSegment:
        """A new segment: whatever a file of its name held is gone."""
        segment = LogSegment(directory, base_offset, config, disk, created_ms)
        segment.file.truncate(0)
        segment.size = 0
        segment.offset_index.reset()
        segment.time_index.reset()
        return segment

    # ----------------------------------------------------------------------------- writing

    def append(self, batches: memoryview, places: list[tuple[int, int, int]]) -> None:
        """Write *batches*, each with its size, last offset and largest timestamp in *places*.

        Raises OSError, and then the segment is as it was.
        """
        position = self.size
        try:
            self.file.write(batches, position)
        except OSError:
            self._cut_file(position)
            raise
        for size, last_offset, max_timestamp in places:
            self.enter(position, size, last_offset, max_timestamp)
            position += size
        self.size = position

    def enter(self, position: int, size: int, last_offset: int, max_timestamp: int) -> None:
        """Note in memory and in the indexes that a batch has been written at *position*."""
        if not position:
            self.rolling_timestamp = max_timestamp
        if max_timestamp > self.max_timestamp:
            self.max_timestamp = max_timestamp
            self.offset_of_max_timestamp = last_offset
        if self._bytes_since_last_index_entry > self._index_interval_bytes:
            self.offset_index.append(last_offset, position)
            self.time_index.maybe_append(self.max_timestamp, self.offset_of_max_timestamp)
            self._bytes_since_last_index_entry = 0
        self._bytes_since_last_index_entry += size
        recent = self._recent_last_offsets
        if not recent:
            self._recent_from = last_offset + 1 if position else self.base_offset
        recent.append(last_offset)
        self._recent_positions.append(position)
        if len(recent) > _RECENT_MAX:
            half = _RECENT_MAX // 2
            self._recent_from = recent[half - 1] + 1
            del recent[:half]
            del self._recent_positions[:half]

    def should_roll(
        self, size: int, last_offset: int, max_timestamp: int, config: LogConfig, now_ms: int
    ) -> bool:
        """Whether *size* more bytes belong into a new segment."""
        if self.size + size > config.segment_bytes:
            return True
        if not self.size:
            return False
        if max_timestamp >= 0 and self.rolling_timestamp >= 0:
            age_ms = max_timestamp - self.rolling_timestamp
        else:
            age_ms = now_ms - self.created_ms
        return (
            age_ms > config.segment_ms - self.roll_jitter_ms
            or self.offset_index.is_full
            or self.time_index.is_full
            or last_offset - self.base_offset > INT32_MAX
        )

    def become_inactive(self) -> None:
        """Close the indexes: no batch will come any more."""
        self.time_index.maybe_append(self.max_timestamp, self.offset_of_max_timestamp)
        self.offset_index.unload()
        self.time_index.unload()
        self._forget_recent()

    def flush(self) -> None:
        """Return when the disk has all batches."""
        self.offset_index.flush()
        self.time_index.flush()
        self.file.sync()
        self.offset_index.file.sync()
        self.time_index.file.sync()

    # ----------------------------------------------------------------------------- reading

    def locate(self, offset: int) -> BatchPlace | None:
        """The first batch that ends at or after *offset*."""
        if offset >= self._recent_from:
            recent = self._recent_last_offsets
            found = bisect_left(recent, offset)
            if found == len(recent):
                return None
            positions = self._recent_positions
            position = positions[found]
            following = positions[found + 1] if found + 1 < len(recent) else self.size
            return BatchPlace(position, following - position)
        near = self.offset_index.lookup(offset)
        for position, base_offset, length, last_offset_delta in self._hop(near):
            if base_offset + last_offset_delta >= offset:
                return BatchPlace(position, length + 12)
        return None

    def _hop(self, position: int) -> Iterator[tuple[int, int, int, int]]:
        """Position, base offset, length and last offset delta of each batch from *position* on."""
        needed = _BASE_LENGTH_DELTA.size
        while position + needed <= self.size:
            chunk = self.file.read(min(_SCAN_BYTES, self.size - position), position)
            at = 0
            while at + needed <= len(chunk):
                base_offset, length, last_offset_delta = _BASE_LENGTH_DELTA.unpack_from(chunk, at)
                yield position + at, base_offset, length, last_offset_delta
                at += length + 12
            position += at

    def read(self, position: int, size: int) -> bytes:
        """The file's bytes."""
        return self.file.read(size, position)

    def batches(self, position: int = 0) -> Iterator[tuple[int, BatchHeader, memoryview]]:
        """Each whole batch from *position* on: its position, header and bytes, unchecked.

        Ends before a batch that is not all there or claims to be shorter than a header.
        """
        end = self.size
        while end - position >= HEADER_BYTES:
            chunk = memoryview(self.read(position, min(_WALK_BYTES, end - position)))
            at = 0
            while len(chunk) - at >= HEADER_BYTES:
                header = read_header(chunk, at)
                size = header.size
                if size < HEADER_BYTES or position + at + size > end:
                    return
                if at + size > len(chunk):
                    break
                yield position + at, header, chunk[at : at + size]
                at += size
            if not at:
                batch = memoryview(self.read(position, size))
                yield position, header, batch
                at = size
            position += at

    def find_offset_by_timestamp(
        self, timestamp: int, starting_offset: int
    ) -> TimestampAndOffset | None:
        """The first record from *starting_offset* on that is not older than *timestamp*."""
        indexed = max(self.time_index.lookup(timestamp), starting_offset)
        for _, header, batch in self.batches(self.offset_index.lookup(indexed)):
            if header.max_timestamp < timestamp:
                continue
            for record in records(batch):
                if record.timestamp >= timestamp and record.offset >= starting_offset:
                    epoch = header.partition_leader_epoch
                    return TimestampAndOffset(record.offset, record.timestamp, epoch)
        return None

    # --------------------------------------------------------------------- cutting, closing

    def truncate_to(self, offset: int) -> int:
        """Cut off the batch that holds *offset* and all behind it; returns the bytes cut."""
        place = self.locate(offset)
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self._forget_recent()
        self._bytes_since_last_index_entry = 0
        if place is None:
            return 0
        cut = self.size - place.position
        self.file.truncate(place.position)
        self.size = place.position
        self.load_timestamps()
        return cut

    def largest_timestamp(self) -> int:
        """The largest timestamp of all batches; -1 if there is none."""
        if self.max_timestamp == NO_TIMESTAMP and self.size:
            self.load_timestamps()
        return self.max_timestamp

    def load_timestamps(self) -> None:
        """Find the largest timestamp, and the first batch's, from index and batches."""
        entry = self.time_index.last_entry
        self.max_timestamp, self.offset_of_max_timestamp = entry or (
            NO_TIMESTAMP,
            self.base_offset,
        )
        self.rolling_timestamp = NO_TIMESTAMP
        start = self.offset_index.lookup(self.offset_of_max_timestamp) if entry else 0
        for _, header, _ in self.batches(start):
            if header.max_timestamp > self.max_timestamp:
                self.max_timestamp = header.max_timestamp
                self.offset_of_max_timestamp = header.last_offset
        if self.size >= HEADER_BYTES:
            self.rolling_timestamp = read_header(self.read(0, HEADER_BYTES)).max_timestamp

    def rebuild_indexes(self) -> None:
        """Make both indexes anew from the batches, and the files with them. Raises OSError."""
        self.begin_rebuild()
        for position, header, _ in self.batches():
            self.enter(position, header.size, header.last_offset, header.max_timestamp)
        self.end_rebuild()

    def begin_rebuild(self) -> None:
        """Forget what is known of the batches; each is to be entered again."""
        self.offset_index.reset()
        self.time_index.reset()
        self.max_timestamp = self.rolling_timestamp = NO_TIMESTAMP
        self.offset_of_max_timestamp = self.base_offset
        self._bytes_since_last_index_entry = 0
        self._forget_recent()

    def end_rebuild(self) -> None:
        """Close the indexes that all batches have been entered in."""
        self.become_inactive()

    def next_offset(self) -> int:
        """The offset behind the last batch."""
        offset = self.base_offset
        entries = self.offset_index.entries[-1:]
        for _, base_offset, _, last_offset_delta in self._hop(entries[0][1] if entries else 0):
            offset = base_offset + last_offset_delta + 1
        return offset

    def close(self) -> None:
        """Bring the files up to date."""
        if self.file.size() != self.size:
            self.file.truncate(self.size)
        self.become_inactive()

    def release(self) -> None:
        """Give the descriptors back."""
        for file in self._files:
            file.close()

    def remove(self) -> None:
        """Delete the files."""
        for file in self._files:
            file.remove()

    @property
    def _files(self) -> tuple[DiskFile, DiskFile, DiskFile]:
        return self.file, self.offset_index.file, self.time_index.file

    def _forget_recent(self) -> None:
        self._recent_last_offsets = array("q")
        self._recent_positions = array("q")
        # The first offset whose place is known exactly: none yet, when the next batch comes.
        self._recent_from = INT32_MAX << 32

    def _cut_file(self, size: int) -> None:
        """Take half-written bytes away, if the disk lets us: the next append goes over them."""
        try:
            self.file.truncate(size)
        except OSError:
            return
