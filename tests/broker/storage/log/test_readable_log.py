"""Tests of offsets and reads of a log: `broker.storage.log.readable_log`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.common.errors import ApiError
from broker.storage.files.disk import Disk
from broker.storage.files.storage_errors import OffsetOutOfRange
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.segments.file_slice import READ_AT_ONCE_BYTES, FileSlice
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode
from protocol.record_batch.batch import batches, records
from protocol.record_batch.record import Record
from tests.broker.storage.logs import batch, batch_of, marker, open_log, replicate, transactional

EVERYTHING = 1 << 20
SIZE = len(batch(2))


def five_batches(path: Path, **more: Any) -> UnifiedLog:
    """Offsets 0 to 9 in batches of two."""
    log = open_log(path, **more)
    for _ in range(5):
        log.append_as_leader(batch(2), 0)
    replicate(log)
    return log


def offsets(data: bytes | memoryview) -> list[int]:
    return [header.base_offset for _, header in batches(data)]


def test_a_read_begins_with_the_batch_of_the_offset(tmp_path: Path) -> None:
    """Clients skip the records below the offset."""
    log = five_batches(tmp_path)
    data = log.read(3, EVERYTHING, log.log_end_offset_metadata, True)
    assert offsets(data.records) == [2, 4, 6, 8]
    assert data.offset_metadata == LogOffsetMetadata(3, 0, SIZE)
    assert not data.first_entry_incomplete


def test_a_read_ends_at_its_limit_even_within_a_batch(tmp_path: Path) -> None:
    """Clients ignore an incomplete last batch."""
    log = five_batches(tmp_path)
    data = log.read(0, SIZE + 10, log.log_end_offset_metadata, True)
    assert len(data.records) == SIZE + 10


def test_many_records_are_read_when_they_are_sent(tmp_path: Path) -> None:
    """`fetch` returns the bytes of `read` without memory for them; few are read at once."""
    log = open_log(tmp_path)
    log.append_as_leader(batch_of([Record(None, bytes(READ_AT_ONCE_BYTES))]), 0)
    log.append_as_leader(batch(2), 0)
    replicate(log)

    many = log.fetch(0, 2 * EVERYTHING, log.log_end_offset_metadata, True)
    few = log.fetch(1, 2 * EVERYTHING, log.log_end_offset_metadata, True)

    assert isinstance(many.records, FileSlice)
    assert (
        many.records.whole()
        == log.read(0, 2 * EVERYTHING, log.log_end_offset_metadata, True).records
    )
    assert isinstance(few.records, bytes)
    assert few == log.read(1, 2 * EVERYTHING, log.log_end_offset_metadata, True)


class EmptyDisk(Disk):
    """Its files seem to end before what is read."""

    def pread(self, fd: int, size: int, position: int) -> bytes:
        return b""


def test_many_records_that_are_lost_are_a_storage_error(tmp_path: Path) -> None:
    """For `read`, which needs them in memory."""
    log = open_log(tmp_path, disk=EmptyDisk())
    log.append_as_leader(batch_of([Record(None, bytes(READ_AT_ONCE_BYTES))]), 0)

    with pytest.raises(ApiError, match=r"0\.log is shorter") as refused:
        log.read(0, 2 * EVERYTHING, log.log_end_offset_metadata, True)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR


def test_the_first_batch_is_complete_with_min_one_message(tmp_path: Path) -> None:
    """A consumer must make progress with any limit (KIP-74)."""
    log = five_batches(tmp_path)
    data = log.read(4, 1, log.log_end_offset_metadata, True)
    assert offsets(data.records) == [4]
    assert not data.first_entry_incomplete


def test_an_incomplete_first_batch_is_reported(tmp_path: Path) -> None:
    """The caller returns no records instead of a part of a batch."""
    log = five_batches(tmp_path)
    data = log.read(4, 10, log.log_end_offset_metadata, False)
    assert len(data.records) == 10
    assert data.first_entry_incomplete


def test_a_limit_of_zero_reads_nothing(tmp_path: Path) -> None:
    """The position is returned, at which a fetch can wait."""
    log = five_batches(tmp_path)
    data = log.read(4, 0, log.log_end_offset_metadata, False)
    assert data.records == b""
    assert data.offset_metadata == LogOffsetMetadata(4, 0, 2 * SIZE)


def test_a_read_ends_at_the_upper_bound(tmp_path: Path) -> None:
    """Consumers read nothing above the high watermark."""
    log = five_batches(tmp_path)
    data = log.read(0, EVERYTHING, log.offset_metadata(6), True)
    assert offsets(data.records) == [0, 2, 4]


def test_a_read_from_the_upper_bound_on_is_empty(tmp_path: Path) -> None:
    """Up to the log end it is no error: the bound may have been lower."""
    log = five_batches(tmp_path)
    upper = log.offset_metadata(6)
    at, above = log.read(6, EVERYTHING, upper, True), log.read(8, EVERYTHING, upper, True)
    assert (at.records, at.offset_metadata) == (b"", upper)
    assert (above.records, above.offset_metadata.message_offset) == (b"", 8)


def test_with_an_unknown_position_of_the_bound_nothing_is_read(tmp_path: Path) -> None:
    """No records above the bound may be returned."""
    log = five_batches(tmp_path)
    assert log.read(0, EVERYTHING, LogOffsetMetadata(6), True).records == b""


@pytest.mark.parametrize("offset", [-1, 1, 11])
def test_offsets_outside_the_log_are_out_of_range(tmp_path: Path, offset: int) -> None:
    """Below the log start or above the log end."""
    log = five_batches(tmp_path)
    log.maybe_increment_log_start_offset(2)
    with pytest.raises(OffsetOutOfRange):
        log.read(offset, EVERYTHING, log.log_end_offset_metadata, True)


def test_a_read_stays_within_a_segment(tmp_path: Path) -> None:
    """The next read continues in the next segment."""
    log = five_batches(tmp_path, segment_bytes=2 * SIZE)
    assert offsets(log.read(0, EVERYTHING, log.log_end_offset_metadata, True).records) == [0, 2]
    assert offsets(log.read(4, EVERYTHING, log.log_end_offset_metadata, True).records) == [4, 6]


def test_every_offset_is_found(tmp_path: Path) -> None:
    """In the recent batches, by the index, and without an entry."""
    for interval in (0, 150, 1 << 20):
        path = tmp_path / str(interval)
        log = open_log(path, segment_bytes=60_000, index_interval_bytes=interval)
        for _ in range(600):
            log.append_as_leader(batch(2), 0)
        for reader in (log, open_log(path)):
            for offset in range(0, 1200, 7):
                data = reader.read(offset, 1, reader.log_end_offset_metadata, True).records
                assert offsets(data) == [offset // 2 * 2]


class CountingDisk(Disk):
    """Counts the reads, or fails them."""

    reads = 0
    broken = False

    def pread(self, fd: int, size: int, position: int) -> bytes:
        self.reads += 1
        if self.broken:
            raise OSError(5, "Input/output error")
        return super().pread(fd, size, position)


def test_equal_reads_share_their_bytes(tmp_path: Path) -> None:
    """One append may complete thousands of fetches at the same offset."""
    disk = CountingDisk()
    log = five_batches(tmp_path, disk=disk)
    before = disk.reads
    first = log.read(8, EVERYTHING, log.high_watermark_metadata, True)
    again = log.read(8, EVERYTHING, log.high_watermark_metadata, True)
    assert again.records is first.records
    assert disk.reads == before + 1


def test_a_disk_that_cannot_be_read_is_a_storage_error(tmp_path: Path) -> None:
    """The broker continues."""
    disk = CountingDisk()
    log = five_batches(tmp_path, disk=disk)
    disk.broken = True
    with pytest.raises(ApiError) as refused:
        log.read(0, EVERYTHING, log.log_end_offset_metadata, True)
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR


def test_a_shared_read_ends_with_its_records(tmp_path: Path) -> None:
    """After truncation and deletion the file is read again."""
    log = five_batches(tmp_path)
    before = bytes(log.read(8, EVERYTHING, log.log_end_offset_metadata, True).records)
    log.truncate_to(8)
    log.append_as_leader(batch(2, key=b"k", size=8), 5)
    after = log.read(8, EVERYTHING, log.log_end_offset_metadata, True).records
    assert offsets(after) == [8]
    assert after != before
    replicate(log)
    log.maybe_increment_log_start_offset(10)
    with pytest.raises(OffsetOutOfRange):
        log.read(8, EVERYTHING, log.log_end_offset_metadata, True)


def test_the_position_of_the_high_watermark_is_looked_up_once(tmp_path: Path) -> None:
    """After a start only its offset is known."""
    log = five_batches(tmp_path)
    log.update_high_watermark(LogOffsetMetadata(4))
    assert log.high_watermark_metadata == LogOffsetMetadata(4, 0, 2 * SIZE)
    assert log.high_watermark_metadata is log.last_stable_offset_metadata


def test_the_position_of_an_offset_is_that_of_its_batch(tmp_path: Path) -> None:
    """At the log end it is that of the next batch."""
    log = five_batches(tmp_path, segment_bytes=2 * SIZE)
    assert log.offset_metadata(3) == LogOffsetMetadata(3, 0, SIZE)
    assert log.offset_metadata(4) == LogOffsetMetadata(4, 4, 0)
    assert log.offset_metadata(10) == log.log_end_offset_metadata == LogOffsetMetadata(10, 8, SIZE)
    with pytest.raises(OffsetOutOfRange):
        log.offset_metadata(11)


def test_the_properties_of_a_log(tmp_path: Path) -> None:
    """Size, leader epochs and directory."""
    log = five_batches(tmp_path)
    assert log.segments.size_bytes == 5 * SIZE
    assert (
        log.leader_epoch_cache.latest,
        log.leader_epoch_cache.epoch_for_offset(3),
        log.local_log.recovery_point,
    ) == (0, 0, 0)
    assert log.directory.name == "orders-0"
    stored = log.read(0, EVERYTHING, log.log_end_offset_metadata, True).records
    assert len(list(records(stored))) == 2


def aborted_log(path: Path, **more: Any) -> UnifiedLog:
    """Three aborted transactions, each with two records and a marker, from offset 0 on."""
    log = open_log(path, **more)
    for number in range(3):
        producer_id, offset = number + 1, 3 * number
        log.append_as_follower(transactional(offset, 0, producer_id), 0)
        log.append_as_follower(marker(offset + 2, producer_id, abort=True), 0)
    replicate(log)
    return log


def aborted(log: UnifiedLog, offset: int, max_bytes: int) -> list[int]:
    """The producers of the aborted transactions in a read."""
    upper = log.last_stable_offset_metadata
    data = log.fetch(offset, max_bytes, upper, True)
    return [each.producer_id for each in log.aborted_in(data, upper)]


def test_a_read_has_the_aborted_transactions_up_to_the_next_index_entry(tmp_path: Path) -> None:
    """Later transactions may be included, as in Kafka, which does not find the first entry."""
    log = aborted_log(tmp_path, index_interval_bytes=1)
    assert aborted(log, 0, 1) == [1, 2]
    assert aborted(log, 0, EVERYTHING) == [1, 2, 3]
    assert aborted(log, 4, 1) == [2]


def test_without_an_index_entry_the_read_has_those_of_the_segment(tmp_path: Path) -> None:
    """Up to its end, or to the log end."""
    log = aborted_log(tmp_path)
    assert aborted(log, 0, 1) == [1, 2, 3]
    log.roll()
    log.append_as_follower(transactional(9, 0, 4), 0)
    log.append_as_follower(marker(11, 4, abort=True), 0)
    replicate(log)
    assert aborted(log, 0, 1) == [1, 2, 3]
    assert aborted(log, 9, 1) == [4]


def test_a_transaction_is_found_in_the_segment_of_its_marker(tmp_path: Path) -> None:
    """A later one than that of the records."""
    log = open_log(tmp_path)
    log.append_as_follower(transactional(0, 0), 0)
    log.roll()
    log.append_as_follower(marker(2, abort=True), 0)
    replicate(log)
    assert aborted(log, 0, EVERYTHING) == [5]


def test_an_ended_transaction_is_not_in_a_later_read(tmp_path: Path) -> None:
    """Its marker is before the read."""
    assert aborted(aborted_log(tmp_path), 3, EVERYTHING) == [2, 3]


def test_an_empty_read_has_no_aborted_transactions(tmp_path: Path) -> None:
    """As at the last stable offset."""
    assert aborted(aborted_log(tmp_path), 9, EVERYTHING) == []


def test_a_read_without_room_has_the_aborted_transactions(tmp_path: Path) -> None:
    """As in Kafka, although it has no records of them."""
    log = aborted_log(tmp_path, index_interval_bytes=1)
    upper = log.last_stable_offset_metadata
    data = log.fetch(3, 0, upper, False)
    assert (data.records, [each.producer_id for each in log.aborted_in(data, upper)]) == (b"", [2])


def test_the_position_of_the_last_stable_offset_is_looked_up_again(tmp_path: Path) -> None:
    """After a truncation and after a compaction the position may be another."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(2), 0)
    log.append_as_follower(transactional(2, 0), 0)
    replicate(log)
    assert log.last_stable_offset_metadata == log.offset_metadata(2)
    log.truncate_fully_and_start_at(2)
    log.append_as_follower(transactional(2, 0), 0)
    replicate(log)
    assert log.last_stable_offset_metadata == LogOffsetMetadata(2, 2, 0)


def test_aborted_transactions_are_collected_until_none_can_follow(tmp_path: Path) -> None:
    """An entry whose last stable offset is the end of the range is the last one."""
    log = aborted_log(tmp_path)
    assert log.aborted_transactions(0, 3) == [AbortedTxn(1, 0, 2, 3)]
    assert log.aborted_transactions(3, 6) == [AbortedTxn(2, 3, 5, 6)]
