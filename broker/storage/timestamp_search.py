"""The search for the first record that is not older than a timestamp (ListOffsets, KIP-33).

A log is scanned on the loop for a batch that may hold the record; the records of that batch are
examined by a pure function, which may run in a worker thread. Between two steps the log may change:
each scan begins with what the log has then.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import NamedTuple

from protocol.compression import decompressed_slices
from protocol.record_batch.fields import timestamps_and_offsets
from protocol.record_batch.header import HEADER_BYTES, BatchHeader

# About two milliseconds.
SHORT_RECORDS_MAX = 2000


class TimestampAndOffset(NamedTuple):
    """A record found by time, with the leader epoch that its batch was written in."""

    offset: int
    timestamp: int
    leader_epoch: int


class Examination(NamedTuple):
    """The examination of a batch, which needs nothing else."""

    header: BatchHeader
    batch: memoryview
    timestamp: int
    from_offset: int

    @property
    def is_short(self) -> bool:
        """Whether it takes little time, whatever is in the batch."""
        return not self.header.codec and self.header.records_count <= SHORT_RECORDS_MAX

    def first_record(self) -> TimestampAndOffset | None:
        """The first record of the batch that is wanted; raises `CorruptRecords`."""
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
    """How far a scan has come: the next one begins at ``next_offset``.

    ``found`` is a batch with a timestamp that is late enough; without one there is more to scan.
    """

    next_offset: int
    found: tuple[BatchHeader, memoryview] | None = None


# Yields each examination and is sent its result, or thrown its exception; None between two scans.
Search = Generator[Examination | None, TimestampAndOffset | None, TimestampAndOffset | None]
