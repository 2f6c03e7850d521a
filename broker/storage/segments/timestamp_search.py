"""The parts of a search for the first record with at least a timestamp (ListOffsets, KIP-33).

The event loop scans a log for a batch that may have the record; the records of that batch are
examined by a function of the batch alone, which may run in a worker thread. The log may change
between two steps: each scan uses the log as it is then.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

from protocol.compression import decompressed_slices
from protocol.record_batch.fields import timestamps_and_offsets
from protocol.record_batch.header import HEADER_BYTES, BatchHeader

# About two milliseconds of examination.
SHORT_RECORDS_MAX = 2000


class TimestampAndOffset(NamedTuple):
    """Offset and timestamp of a record, and the leader epoch of its batch."""

    offset: int
    timestamp: int
    leader_epoch: int


class Examination(NamedTuple):
    """The search in one batch."""

    header: BatchHeader
    batch: memoryview
    timestamp: int
    from_offset: int

    @property
    def is_short(self) -> bool:
        """Whether it takes little time, whatever the records are."""
        return not self.header.codec and self.header.records_count <= SHORT_RECORDS_MAX

    def first_record(self) -> TimestampAndOffset | None:
        """The first matching record; None if there is none. Raises `CorruptRecords`."""
        header = self.header
        block = self.batch[HEADER_BYTES : header.size]
        slices = decompressed_slices(header.codec, block)
        for timestamp_delta, offset_delta in timestamps_and_offsets(slices, header.records_count):
            timestamp = header.base_timestamp + timestamp_delta
            if header.is_log_append_time:
                timestamp = header.max_timestamp
            offset = header.base_offset + offset_delta
            if timestamp >= self.timestamp and offset >= self.from_offset:
                return TimestampAndOffset(offset, timestamp, header.partition_leader_epoch)
        return None


class Scan(NamedTuple):
    """The result of a scan; the next one begins at ``next_offset``.

    ``found`` is a batch whose maximum timestamp is late enough, None if there are more to scan.
    """

    next_offset: int
    found: tuple[BatchHeader, memoryview] | None = None


# Yields each examination and is sent its result, or thrown its exception; None between scans.
Search = Generator[Examination | None, TimestampAndOffset | None, TimestampAndOffset | None]
