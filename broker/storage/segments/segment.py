"""A segment: a file of consecutive batches, with its indexes (Kafka's ``LogSegment``).

The indexes locate batches. The exact positions of the latest batches are also in memory, because
most readers follow the log end.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import randrange
from typing import Final

from broker.storage.files.disk import Disk, DiskFile
from broker.storage.indexes.offset_index import OffsetIndex
from broker.storage.indexes.time_index import TimeIndex
from broker.storage.indexes.transaction_index import TransactionIndex
from broker.storage.log_config import LogConfig
from broker.storage.segments.file_batches import (
    batches_in,
    ends_with,
    extents_in,
    no_batch,
)
from broker.storage.segments.recent_batches import BatchPlace, RecentBatches
from broker.storage.segments.timestamp_search import Scan
from protocol.record_batch.header import (
    HEADER_BYTES,
    INT32_MAX,
    NO_TIMESTAMP,
    BatchHeader,
    read_header,
)

logger = logging.getLogger(__name__)

# Suffixes of files: to be removed; being written by compaction; to replace other segments.
DELETED: Final = ".deleted"
CLEANED: Final = ".cleaned"
SWAP: Final = ".swap"

# How many bytes one scan for a timestamp reads.
_SCAN_BYTES_MAX = 4 * 1024 * 1024

# A timestamp that has not been read since the segment was opened.
_NOT_READ: Final = -2


def log_file_name(base_offset: int) -> str:
    """The names of a segment's files without extension."""
    return f"{base_offset:020d}"


class LogSegment:
    """Batches from ``base_offset`` on.

    Invariant: the first ``size`` bytes of the file are complete batches; the rest is ignored.
    """

    __slots__ = (
        "_bytes_since_last_index_entry",
        "_index_interval_bytes",
        "_max_timestamp",
        "_offset_of_max_timestamp",
        "_recent",
        "_rolling_timestamp",
        "_transactions",
        "base_offset",
        "created_ms",
        "file",
        "offset_index",
        "roll_jitter_ms",
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
        suffix: str = "",
    ) -> None:
        name = log_file_name(base_offset)
        self.base_offset = base_offset
        self.file = DiskFile(disk, directory, f"{name}.log{suffix}")
        self.size = self.file.size()
        index_max = config.segment_index_bytes
        index_file = DiskFile(disk, directory, f"{name}.index{suffix}")
        self.offset_index = OffsetIndex(index_file, base_offset, index_max)
        time_file = DiskFile(disk, directory, f"{name}.timeindex{suffix}")
        self.time_index = TimeIndex(time_file, base_offset, index_max)
        self.created_ms = created_ms
        jitter_ms = min(config.segment_jitter_ms, config.segment_ms)
        self.roll_jitter_ms = randrange(jitter_ms) if jitter_ms else 0  # noqa: S311 - no secret
        # The maximum timestamp of the first batch, from which the segment's age counts (KIP-33).
        self._rolling_timestamp = self._max_timestamp = _NOT_READ if self.size else NO_TIMESTAMP
        self._offset_of_max_timestamp = base_offset
        self._transactions: TransactionIndex | None = None
        # The positions of the batches since the first append; None before.
        self._recent: RecentBatches | None = None
        self._index_interval_bytes = config.index_interval_bytes
        self._bytes_since_last_index_entry = 0

    @staticmethod
    def create(
        directory: Path,
        base_offset: int,
        config: LogConfig,
        disk: Disk,
        created_ms: int,
        suffix: str = "",
    ) -> LogSegment:
        """Make an empty segment; existing files of its name are emptied. Raises OSError."""
        segment = LogSegment(directory, base_offset, config, disk, created_ms, suffix)
        segment.cut(0)
        segment.begin_rebuild()
        segment.remove_transaction_index()
        segment.unload()
        return segment

    def append(self, batches: memoryview, places: list[tuple[int, int, int]]) -> None:
        """Write *batches*, each with its size, last offset and maximum timestamp in *places*.

        Raises OSError; the segment has not changed then.
        """
        position = self.size
        if self._max_timestamp == _NOT_READ:
            self.largest_timestamp()
        try:
            self.file.write(batches, position)
        except OSError:
            with suppress(OSError):  # the next append overwrites what has been written
                self.file.truncate(position)
            raise
        for size, last_offset, max_timestamp in places:
            self.enter(position, size, last_offset, max_timestamp)
            position += size
        self.size = position

    def enter(self, position: int, size: int, last_offset: int, max_timestamp: int) -> None:
        """Add the batch at *position* to the indexes."""
        if not position:
            self._rolling_timestamp = max_timestamp
            self.offset_index.begin()
            self.time_index.begin()
        if max_timestamp > self._max_timestamp:
            self._max_timestamp = max_timestamp
            self._offset_of_max_timestamp = last_offset
        if self._bytes_since_last_index_entry > self._index_interval_bytes:
            self.offset_index.append(last_offset, position)
            self.time_index.maybe_append(self._max_timestamp, self._offset_of_max_timestamp)
            self._bytes_since_last_index_entry = 0
        self._bytes_since_last_index_entry += size
        if self._recent is None:
            self._recent = RecentBatches(last_offset + 1 if position else self.base_offset)
        self._recent.add(last_offset, position)

    def should_roll(
        self, size: int, last_offset: int, max_timestamp: int, config: LogConfig, now_ms: int
    ) -> bool:
        """Whether *size* more bytes must be written to a new segment (Kafka's ``shouldRoll``)."""
        if self.size + size > config.segment_bytes or last_offset - self.base_offset > INT32_MAX:
            return True
        if not self.size:
            return False
        first = self.first_timestamp()
        # As in Kafka, the clock does not count for new batches without a timestamp.
        age_ms = max_timestamp - first if first >= 0 else now_ms - self.created_ms
        return (
            age_ms > config.max_segment_ms - self.roll_jitter_ms
            or self.offset_index.is_full
            or self.time_index.is_full
        )

    def become_inactive(self) -> None:
        """Complete the indexes, after the last append. Raises OSError."""
        self.time_index.maybe_append(self._max_timestamp, self._offset_of_max_timestamp)
        self.unload()

    def unload(self) -> None:
        """Release the memory of the indexes; look-ups read their files. Raises OSError."""
        self.offset_index.unload()
        self.time_index.unload()
        if self._transactions is not None:
            self._transactions.unload()
            self._transactions = None
        self._recent = None

    def flush_indexes(self) -> None:
        """Write the indexes to their files. Raises OSError."""
        self.offset_index.flush()
        self.time_index.flush()

    def locate(self, offset: int) -> BatchPlace | None:
        """The first batch whose last offset is at least *offset*; None if there is none."""
        recent = self._recent
        if recent is not None and offset >= recent.from_offset:
            return recent.locate(offset, self.size)
        for position, size, _, last_offset in extents_in(self.file, self._near(offset), self.size):
            if last_offset >= offset:
                return position, size
        return None

    def _near(self, offset: int) -> int:
        """Position of a batch at or before *offset*; an inconsistent index is rebuilt."""
        entry = self.offset_index.floor(offset)
        if entry is None:
            return 0
        last_offset, position = entry
        if not ends_with(self.file, position, last_offset):
            logger.warning(
                "%s is inconsistent with the log; rebuilding indexes", self.offset_index.file.path
            )
            self.rebuild_indexes()
            return self.offset_index.lookup(offset)
        return position

    def read(self, position: int, size: int) -> bytes:
        """Bytes of the file. Raises OSError."""
        return self.file.read(size, position)

    def batches(self, position: int = 0) -> Iterator[tuple[int, BatchHeader, memoryview]]:
        """Yield position, header and bytes of each complete batch from *position* on, unchecked."""
        return batches_in(self.file, position, self.size)

    def scan_by_timestamp(self, timestamp: int, offset: int) -> Scan | None:
        """The first batch that may have a record from *offset* on with at least *timestamp*.

        A scan without result after `_SCAN_BYTES_MAX` returns where to continue; None if there is no
        such batch. Raises OSError.
        """
        start = self._near(max(self.time_index.lookup(timestamp), offset))
        for position, header, batch in self.batches(start):
            if header.last_offset < offset:
                continue
            if header.max_timestamp >= timestamp:
                return Scan(header.next_offset, (header, batch))
            if position - start > _SCAN_BYTES_MAX:
                return Scan(header.next_offset)
        return None

    def truncate_to(self, offset: int) -> int:
        """Remove the batch with *offset* and all later ones; returns the number of bytes."""
        place = self.locate(offset)
        self.offset_index.truncate_to(offset)
        self.time_index.truncate_to(offset)
        self.transactions.truncate_to(offset)
        self._recent = None
        self._bytes_since_last_index_entry = 0
        if place is None:
            return 0
        cut = self.size - place[0]
        self.cut(place[0])
        self._rolling_timestamp = _NOT_READ
        self._find_largest_timestamp()
        return cut

    def largest_timestamp(self) -> int:
        """The maximum timestamp of all batches; -1 if there is none. Raises OSError.

        After opening it is that of the last entry of the time index, which `close` has written.
        """
        if self._max_timestamp == _NOT_READ:
            entry = self.time_index.last_entry
            if entry is None:
                self._find_largest_timestamp()
            else:
                self._max_timestamp, self._offset_of_max_timestamp = entry
        return self._max_timestamp

    def newest_ms(self) -> int:
        """The maximum timestamp of all batches; the file's modification time if there is none.

        -1 without a file, as of an empty log. Raises OSError. Kafka's ``largestTimestamp``.
        """
        timestamp = self.largest_timestamp()
        return self.file.modified_ms() if timestamp < 0 and self.file.exists() else timestamp

    def first_timestamp(self) -> int:
        """The maximum timestamp of the first batch; -1 if there is none. Raises OSError."""
        if self._rolling_timestamp == _NOT_READ:
            head = self.read(0, HEADER_BYTES)
            whole = len(head) == HEADER_BYTES
            self._rolling_timestamp = read_header(head).max_timestamp if whole else NO_TIMESTAMP
        return self._rolling_timestamp

    def _find_largest_timestamp(self) -> None:
        """Find it in the time index and in the batches after its last entry."""
        entry = self.time_index.last_entry
        largest = entry or (NO_TIMESTAMP, self.base_offset)
        self._max_timestamp, self._offset_of_max_timestamp = largest
        start = self._near(self._offset_of_max_timestamp) if entry else 0
        for _, header, _ in self.batches(start):
            if header.max_timestamp > self._max_timestamp:
                self._max_timestamp = header.max_timestamp
                self._offset_of_max_timestamp = header.last_offset

    def rebuild_indexes(self) -> None:
        """Rebuild offset index and time index from the batches. Raises OSError."""
        self.begin_rebuild()
        for position, header, _ in self.batches():
            self.enter(position, header.size, header.last_offset, header.max_timestamp)
        self.become_inactive()

    def begin_rebuild(self) -> None:
        """Clear the indexes, before each batch is entered again. Raises OSError."""
        self.offset_index.reset()
        self.time_index.reset()
        self._max_timestamp = self._rolling_timestamp = NO_TIMESTAMP
        self._offset_of_max_timestamp = self.base_offset
        self._bytes_since_last_index_entry = 0
        self._recent = None

    def next_offset(self) -> int:
        """The offset after the last batch; raises `CorruptRecords` if that is incomplete."""
        offset = self.base_offset
        end = self.offset_index.last_position
        for position, size, _, last_offset in extents_in(self.file, end, self.size):
            offset, end = last_offset + 1, position + size
        if end != self.size:
            raise no_batch(self.file, min(end, self.size))
        return offset

    def cut(self, size: int) -> None:
        """Truncate the file to *size* bytes. Raises OSError."""
        self.file.truncate(size)
        self.size = size

    def close(self) -> None:
        """Write everything to the files, which exist afterwards. Raises OSError."""
        self.file.ensure_size(self.size)
        if not self.size:
            self.offset_index.begin()
            self.time_index.begin()
        self.become_inactive()

    def release(self) -> None:
        """Close the files."""
        for file in self._files:
            file.close()

    def moved_to(self, directory: Path) -> None:
        """Use another path, because the directory of the files has been renamed."""
        for file in self._files:
            file.directory = directory

    def mark_deleted(self) -> None:
        """Rename the files, the log file first, for their removal later. Raises OSError."""
        for file in self._files:
            self._rename(file, DELETED)

    def rename_files(self, suffix: str) -> None:
        """Change the suffix of the files, that of the log file last. Raises OSError."""
        for file in self._files[::-1]:
            self._rename(file, suffix)

    def _rename(self, file: DiskFile, suffix: str) -> None:
        file.rename(".".join(file.name.split(".")[:2]) + suffix)

    def remove(self) -> None:
        """Remove the files. Raises OSError."""
        for file in self._files:
            file.remove()

    @property
    def transactions(self) -> TransactionIndex:
        """The index of aborted transactions, which few segments have."""
        if self._transactions is None:
            self._transactions = TransactionIndex(self._transaction_file)
        return self._transactions

    @property
    def has_transactions(self) -> bool:
        """Whether the segment has a transaction index."""
        return self._transactions is not None or self._transaction_file.exists()

    def remove_transaction_index(self) -> None:
        """Remove the transaction index. Raises OSError."""
        self.transactions.file.remove()
        self._transactions = None

    @property
    def _transaction_file(self) -> DiskFile:
        name = self.file.name.replace(".log", ".txnindex", 1)
        return DiskFile(self.file.disk, self.file.directory, name)

    @property
    def paths(self) -> list[Path]:
        """The paths of all files, which need not exist."""
        return [file.path for file in self._files]

    @property
    def _files(self) -> tuple[DiskFile, DiskFile, DiskFile, DiskFile]:
        return self.file, self.offset_index.file, self.time_index.file, self.transactions.file
