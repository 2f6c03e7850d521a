"""Tests of appends, truncation and deletion: `broker.storage.log.unified_log`."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from broker.storage.files.storage_errors import OffsetOutOfRange
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from broker.storage.validation.append import AppendOrigin, AppendRefused
from protocol.errors import ErrorCode
from protocol.record_batch.batch import batches
from protocol.record_batch.header import CONTROL_BIT, HEADER_BYTES, read_header
from protocol.record_batch.record import Record
from tests.broker.storage.logs import (
    NOW_MS,
    batch,
    batch_of,
    open_log,
    read_all,
    replicate,
)


def refused(log, records, **more) -> AppendRefused:  # type: ignore[no-untyped-def]  # passes through
    with pytest.raises(AppendRefused) as refusal:
        log.append_as_leader(records, 0, **more)
    return refusal.value


def test_offsets_are_consecutive(tmp_path: Path) -> None:
    """Each batch gets the offsets after the last one."""
    log = open_log(tmp_path)
    first = log.append_as_leader(batch(3), 0)
    second = log.append_as_leader(batch(2), 0)
    assert (first.first_offset, first.last_offset) == (0, 2)
    assert (second.first_offset, second.last_offset) == (3, 4)
    assert log.log_end_offset == 5


def test_stored_bytes_differ_from_the_sent_ones_in_offset_and_epoch_only(tmp_path: Path) -> None:
    """Checksum and records do not change."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(4), 0)
    sent = batch(3)
    before = bytes(sent)
    log.append_as_leader(sent, 7)
    stored = bytes(log.read(4, 1 << 20, log.log_end_offset_metadata, True).records)
    header = read_header(stored)
    assert (header.base_offset, header.partition_leader_epoch) == (4, 7)
    assert header._replace(base_offset=0, partition_leader_epoch=-1) == read_header(before)
    assert stored[HEADER_BYTES:] == before[HEADER_BYTES:]


def test_a_read_only_batch_is_copied(tmp_path: Path) -> None:
    """A coordinator may append bytes."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(1), 0)
    log.append_as_leader(batch(1).toreadonly(), 0)
    assert [record.offset for record in read_all(log)] == [0, 1]


def test_log_append_time_is_returned(tmp_path: Path) -> None:
    """The broker's time is in the records and in the result."""
    log = open_log(tmp_path, message_timestamp_type="LogAppendTime")
    info = log.append_as_leader(batch(2, timestamp=5), 0)
    assert info.log_append_time == NOW_MS
    assert [record.timestamp for record in read_all(log)] == [NOW_MS, NOW_MS]


def test_with_create_time_no_append_time_is_returned(tmp_path: Path) -> None:
    """The result has -1."""
    assert open_log(tmp_path).append_as_leader(batch(), 0).log_append_time == -1


def test_a_batch_larger_than_a_segment_is_refused(tmp_path: Path) -> None:
    """RECORD_LIST_TOO_LARGE: it would fit into no segment."""
    log = open_log(tmp_path, segment_bytes=200)
    assert refused(log, batch(size=300)).error is ErrorCode.RECORD_LIST_TOO_LARGE


def test_a_duplicate_has_the_offsets_of_the_first(tmp_path: Path) -> None:
    """A retried batch is not written again (KIP-98)."""
    log = open_log(tmp_path)
    sent = [
        batch(2, producer_id=9, producer_epoch=0, base_sequence=sequence) for sequence in (0, 2, 4)
    ]
    copies = [memoryview(bytearray(each)) for each in sent]
    for each in sent:
        log.append_as_leader(each, 0)
    again = log.append_as_leader(copies[1], 0)
    assert again.duplicate
    assert (again.first_offset, again.last_offset, again.log_append_time) == (2, 3, NOW_MS)
    assert log.log_end_offset == 6


def test_a_gap_in_sequence_numbers_is_refused(tmp_path: Path) -> None:
    """A batch between two batches of the producer was lost."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(2, producer_id=9, producer_epoch=0, base_sequence=0), 0)
    gap = batch(2, producer_id=9, producer_epoch=0, base_sequence=3)
    assert refused(log, gap).error is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert log.log_end_offset == 2


def test_the_size_is_checked_before_the_sequence(tmp_path: Path) -> None:
    """The producer state is checked last, as in Kafka."""
    log = open_log(tmp_path, segment_bytes=300)
    log.append_as_leader(batch(2, producer_id=9, producer_epoch=0, base_sequence=0), 0)
    gap = batch(2, size=300, producer_id=9, producer_epoch=0, base_sequence=9)
    assert refused(log, gap).error is ErrorCode.RECORD_LIST_TOO_LARGE


def test_a_coordinator_writes_control_batches(tmp_path: Path) -> None:
    """Clients may not; the marker does not change the sequence number."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(2, producer_id=9, producer_epoch=0, base_sequence=0), 0)
    marker = batch_of(
        [Record(b"\x00\x00\x00\x01", b"\x00" * 6, timestamp=NOW_MS)],
        producer_id=9,
        producer_epoch=0,
        attributes=CONTROL_BIT,
    )
    log.append_as_leader(marker, 0, origin=AppendOrigin.COORDINATOR)
    log.append_as_leader(batch(1, producer_id=9, producer_epoch=0, base_sequence=2), 0)
    assert log.log_end_offset == 4


def test_a_full_segment_is_rolled(tmp_path: Path) -> None:
    """No segment exceeds ``segment.bytes``; the next one begins with the next offset."""
    log = open_log(tmp_path, segment_bytes=250)
    for _ in range(5):
        log.append_as_leader(batch(2), 0)
    assert log.segments.base_offsets == [0, 4, 8]
    assert [record.offset for record in read_all(log)] == list(range(10))
    assert (log.directory / f"{4:020d}.snapshot").exists()


def test_a_refused_batch_rolls_the_segment(tmp_path: Path) -> None:
    """As in Kafka, where a segment rolls before the producer's sequence numbers are checked."""
    log = open_log(tmp_path, segment_ms=1000)
    for sequence, timestamp in ((0, NOW_MS), (5, NOW_MS + 4000), (1, NOW_MS)):
        sent = batch(producer_id=1, producer_epoch=0, base_sequence=sequence, timestamp=timestamp)
        with suppress(AppendRefused):
            log.append_as_leader(sent, 0)
    assert log.segments.base_offsets == [0, 1]
    assert [record.offset for record in read_all(log)] == [0, 1]


def test_a_duplicate_rolls_the_segment(tmp_path: Path) -> None:
    """It is checked like any other batch, and not written."""
    log = open_log(tmp_path, segment_ms=1000)
    for timestamp in (NOW_MS, NOW_MS + 4000):
        log.append_as_leader(
            batch(producer_id=1, producer_epoch=0, base_sequence=0, timestamp=timestamp), 0
        )
    assert log.segments.base_offsets == [0, 1]
    assert log.log_end_offset == 1


def test_a_followers_segment_rolls_by_the_largest_timestamp_of_an_append(tmp_path: Path) -> None:
    """That of the last batch may be smaller."""
    log = open_log(tmp_path, segment_ms=1000)
    log.append_as_follower(batch(), 0)
    sent = [batch(base_offset=1, timestamp=NOW_MS + 4000), batch(base_offset=2)]
    log.append_as_follower(memoryview(b"".join(sent)), 0)
    assert log.segments.base_offsets == [0, 1]


def test_a_follower_keeps_the_leaders_offsets(tmp_path: Path) -> None:
    """Both logs have the same bytes and leader epochs."""
    leader, follower = open_log(tmp_path / "1"), open_log(tmp_path / "2")
    for epoch in (0, 0, 3):
        leader.append_as_leader(batch(2), epoch)
    data = memoryview(leader.read(0, 1 << 20, leader.log_end_offset_metadata, True).records)
    info = follower.append_as_follower(data, 3)
    assert info is not None
    assert (info.first_offset, info.last_offset) == (0, 5)
    assert follower.read(0, 1 << 20, follower.log_end_offset_metadata, True).records == data
    assert follower.end_offset_for_epoch(0) == (0, 4)
    assert follower.leader_epoch_cache.latest == 3


def test_a_follower_ignores_an_incomplete_batch(tmp_path: Path) -> None:
    """A fetch may end within a batch."""
    leader, follower = open_log(tmp_path / "1"), open_log(tmp_path / "2")
    for _ in range(2):
        leader.append_as_leader(batch(2), 0)
    data = memoryview(leader.read(0, 1 << 20, leader.log_end_offset_metadata, True).records)
    follower.append_as_follower(data[:-1], 0)
    assert follower.log_end_offset == 2
    assert follower.append_as_follower(data[:5], 0) is None


def test_a_follower_ignores_batches_of_a_newer_epoch(tmp_path: Path) -> None:
    """The new leader may truncate them (KAFKA-18723)."""
    leader, follower = open_log(tmp_path / "1"), open_log(tmp_path / "2")
    for epoch in (1, 2):
        leader.append_as_leader(batch(2), epoch)
    data = memoryview(leader.read(0, 1 << 20, leader.log_end_offset_metadata, True).records)
    follower.append_as_follower(data, 1)
    assert follower.log_end_offset == 2


def test_the_high_watermark_stays_within_the_log(tmp_path: Path) -> None:
    """Between log start and log end."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(5), 0)
    assert log.update_high_watermark(LogOffsetMetadata(9)) == 5
    log.maybe_increment_log_start_offset(3)
    assert log.update_high_watermark(LogOffsetMetadata(1)) == 3
    assert log.last_stable_offset == 3


def test_the_high_watermark_only_rises(tmp_path: Path) -> None:
    """`maybe_increment_high_watermark` returns whether it has changed."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(5), 0)
    assert log.maybe_increment_high_watermark(log.offset_metadata(5))
    assert not log.maybe_increment_high_watermark(LogOffsetMetadata(2))
    assert log.high_watermark == 5


def test_the_high_watermark_moves_into_a_new_segment(tmp_path: Path) -> None:
    """A roll at the high watermark changes its segment, not its offset."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(5), 0)
    replicate(log)
    log.roll()
    assert log.high_watermark_metadata == LogOffsetMetadata(5, 5, 0)


def test_truncation_removes_complete_batches(tmp_path: Path) -> None:
    """Leader epochs, producers and high watermark are those of the new log end."""
    log = open_log(tmp_path, segment_bytes=250)
    for epoch in range(5):
        sent = batch(2, producer_id=1, producer_epoch=0, base_sequence=epoch * 2)
        log.append_as_leader(sent, epoch)
    replicate(log)
    assert log.truncate_to(6)
    assert (log.log_end_offset, log.high_watermark, log.leader_epoch_cache.latest) == (6, 6, 2)
    assert [record.offset for record in read_all(log)] == list(range(6))
    log.append_as_leader(batch(2, producer_id=1, producer_epoch=0, base_sequence=6), 5)
    assert log.end_offset_for_epoch(4) == (2, 6)
    assert not log.truncate_to(8)


def test_truncation_below_the_first_segment_empties_the_log(tmp_path: Path) -> None:
    """The next record gets that offset."""
    log = open_log(tmp_path)
    log.truncate_fully_and_start_at(100)
    log.append_as_leader(batch(2), 0)
    log.truncate_to(40)
    assert (log.log_start_offset, log.log_end_offset) == (40, 40)
    assert log.append_as_leader(batch(1), 1).first_offset == 40
    assert [record.offset for record in read_all(log)] == [40]


def test_truncation_to_the_same_base_offset_makes_a_new_file(tmp_path: Path) -> None:
    """The file of the old segment is renamed."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(2), 0)
    log.truncate_fully_and_start_at(0)
    log.append_as_leader(batch(3), 0)
    log.close()
    assert len(read_all(open_log(tmp_path, clean=True))) == 3


def test_records_below_the_log_start_cannot_be_read(tmp_path: Path) -> None:
    """DeleteRecords raises the log start offset, at most to the high watermark."""
    log = open_log(tmp_path)
    for epoch in (0, 1):
        log.append_as_leader(batch(2), epoch)
    with pytest.raises(OffsetOutOfRange):
        log.maybe_increment_log_start_offset(3)
    replicate(log)
    assert log.maybe_increment_log_start_offset(3)
    assert not log.maybe_increment_log_start_offset(2)
    with pytest.raises(OffsetOutOfRange):
        log.read(2, 100, log.log_end_offset_metadata, True)
    assert log.end_offset_for_epoch(0) == (0, 3)


def test_a_changed_configuration_applies_to_the_next_append(tmp_path: Path) -> None:
    """The configuration of a topic can change at any time."""
    log = open_log(tmp_path)
    log.update_config(open_log(tmp_path / "other", max_message_bytes=70).config)
    assert refused(log, batch(size=100)).error is ErrorCode.MESSAGE_TOO_LARGE


def test_a_renamed_log_has_no_open_files(tmp_path: Path) -> None:
    """Its name can be used again."""
    log = open_log(tmp_path)
    log.append_as_leader(batch(), 0)
    log.local_log.rename(tmp_path / "orders-0.0-delete")
    assert [path.name for path in tmp_path.iterdir()] == ["orders-0.0-delete"]


def test_the_file_is_the_sequence_of_appended_batches(tmp_path: Path) -> None:
    """There are no other bytes."""
    log = open_log(tmp_path)
    for count in (1, 2, 3):
        log.append_as_leader(batch(count), 0)
    stored = (log.directory / f"{0:020d}.log").read_bytes()
    assert [header.records_count for _, header in batches(stored)] == [1, 2, 3]


def test_a_follower_accepts_any_gap(tmp_path: Path) -> None:
    """Compaction may leave more offsets between two batches than a segment can have."""
    log = open_log(tmp_path, index_interval_bytes=1)
    far = 2**31 + 7
    for offset in (0, 1, far, far + 1, 3 * far):
        log.append_as_follower(batch(base_offset=offset), 0)
    assert log.segments.base_offsets == [0, far, 3 * far]
    assert [record.offset for record in read_all(log)] == [0, 1, far, far + 1, 3 * far]
    again = open_log(tmp_path, index_interval_bytes=1)
    assert (again.segments.base_offsets, again.log_end_offset) == ([0, far, 3 * far], 3 * far + 1)
    assert [record.offset for record in read_all(again)] == [0, 1, far, far + 1, 3 * far]


def test_an_empty_follower_accepts_any_first_offset(tmp_path: Path) -> None:
    """Its empty segment is rolled."""
    log = open_log(tmp_path)
    log.append_as_follower(batch(base_offset=2**40), 0)
    assert (log.log_end_offset, log.segments.active.base_offset) == (2**40 + 1, 2**40)
