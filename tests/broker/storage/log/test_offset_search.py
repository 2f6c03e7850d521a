"""Tests of looking up offsets by timestamp: `broker.storage.log.offset_search`."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from broker.storage.log import offset_search
from broker.storage.log.offset_search import search_by_timestamp, search_max_timestamp
from broker.storage.segments import segment
from protocol.compression import Codec
from protocol.record_batch.record import Record
from tests.broker.storage.logs import NOW_MS, batch, batch_of, emptied, open_log, searched


@pytest.mark.parametrize("codec", [Codec.NONE, Codec.ZSTD])
def test_an_offset_is_found_by_timestamp(tmp_path: Path, codec: Codec) -> None:
    """The first record with at least the timestamp, also within a batch."""
    log = open_log(tmp_path, segment_bytes=400, index_interval_bytes=50)
    for first in range(0, 30, 3):
        values = [Record(None, b"v", timestamp=NOW_MS + (first + i) * 10) for i in range(3)]
        log.append_as_leader(batch_of(values, codec=codec), first)
    for number in range(30):
        found = searched(search_by_timestamp(log, NOW_MS + number * 10 - 5))
        assert found == (number, NOW_MS + number * 10, number // 3 * 3)
    assert searched(search_by_timestamp(log, NOW_MS + 291)) is None


def test_a_search_begins_at_the_log_start(tmp_path: Path) -> None:
    """Deleted records are not found, even if their bytes still exist."""
    log = open_log(tmp_path)
    for first in range(0, 10, 2):
        log.append_as_leader(batch(2, timestamp=NOW_MS + first), 0)
    log.update_high_watermark(log.log_end_offset_metadata)
    log.maybe_increment_log_start_offset(3)
    found = searched(search_by_timestamp(log, 0))
    assert found is not None
    assert found.offset == 3


def test_the_record_with_the_largest_timestamp_is_found(tmp_path: Path) -> None:
    """The first one, if several have it (KIP-734)."""
    log = open_log(tmp_path, segment_bytes=400)
    assert searched(search_max_timestamp(log)) is None
    for time in (5, 9, 9, 2, 1, 3):
        log.append_as_leader(batch(2, timestamp=NOW_MS + time), 4)
    assert searched(search_max_timestamp(log)) == (2, NOW_MS + 9, 4)


def test_a_deleted_record_may_have_the_largest_timestamp(tmp_path: Path) -> None:
    """As in Kafka, until its segment is deleted."""
    log = open_log(tmp_path)
    for time in (5, 9, 2):
        log.append_as_leader(batch(1, timestamp=NOW_MS + time), 4)
    log.update_high_watermark(log.log_end_offset_metadata)
    log.maybe_increment_log_start_offset(2)
    assert searched(search_max_timestamp(log)) == (1, NOW_MS + 9, 4)


def test_log_append_time_is_found_by_the_brokers_time(tmp_path: Path) -> None:
    """The producer's timestamps are ignored."""
    log = open_log(tmp_path, message_timestamp_type="LogAppendTime")
    log.append_as_leader(batch(2, timestamp=77), 0)
    assert searched(search_by_timestamp(log, 78)) == (0, NOW_MS, 0)


def test_a_scan_ends_after_so_many_bytes(tmp_path: Path) -> None:
    """The search continues at the next offset; it examines batches with deleted records."""
    log = open_log(tmp_path)
    log.append_as_leader(batch_of([Record(None, b"", timestamp=NOW_MS + 9)] * 2), 0)
    for _ in range(20):
        log.append_as_leader(batch(1, timestamp=NOW_MS), 0)
    log.append_as_leader(batch(1, timestamp=NOW_MS + 8), 0)
    log.update_high_watermark(log.log_end_offset_metadata)
    log.maybe_increment_log_start_offset(2)

    with patch.object(segment, "_SCAN_BYTES_MAX", 200):
        steps = list(search_by_timestamp(log, NOW_MS + 9))
        found = searched(search_by_timestamp(log, NOW_MS + 8))

    assert steps.count(None) >= 3
    assert found == (22, NOW_MS + 8, 0)


def test_a_scan_ends_after_so_many_segments(tmp_path: Path) -> None:
    """The timestamp of each segment is in a file."""
    log = open_log(tmp_path, segment_bytes=100)
    for number in range(12):
        log.append_as_leader(batch(1, timestamp=NOW_MS + number), 0)

    with patch.object(offset_search, "SCANNED_MAX", 3):
        steps = list(search_by_timestamp(log, NOW_MS + 11))
        found = searched(search_by_timestamp(log, NOW_MS + 11))
        largest = searched(search_max_timestamp(log))

    assert steps[:3] == [None] * 3
    assert found == largest == (11, NOW_MS + 11, 0)


def test_a_search_uses_the_log_as_it_is_at_each_scan(tmp_path: Path) -> None:
    """Files may have been removed meanwhile."""
    log = open_log(tmp_path, segment_bytes=200)
    for number in range(12):
        log.append_as_leader(batch(1, timestamp=NOW_MS + number), 0)
    search = search_by_timestamp(log, NOW_MS + 5)
    first = next(search)
    assert first is not None

    log.truncate_fully_and_start_at(40)
    log.append_as_leader(batch(1, timestamp=NOW_MS + 50), 0)
    again = search.send(None)

    assert again is not None
    assert again.first_record() == (40, NOW_MS + 50, 0)


def test_a_search_for_the_largest_timestamp_begins_again_without_its_segment(
    tmp_path: Path,
) -> None:
    """The segment is removed while others are checked."""
    log = open_log(tmp_path, segment_bytes=100)
    for number in range(12):
        log.append_as_leader(batch(1, timestamp=NOW_MS - number), 0)

    with patch.object(offset_search, "SCANNED_MAX", 10):
        search = search_max_timestamp(log)
        assert next(search) is None
        log.truncate_fully_and_start_at(40)
        log.append_as_leader(batch(1, timestamp=NOW_MS - 50), 0)
        found = searched(search)

    assert found == (40, NOW_MS - 50, 0)


def test_only_the_first_late_segment_is_searched(tmp_path: Path) -> None:
    """Even if its late records are deleted, as in Kafka."""
    log = open_log(tmp_path, segment_bytes=200)
    for time in (5, 1, 9):
        log.append_as_leader(batch(1, size=30, timestamp=NOW_MS + time), 0)
    log.update_high_watermark(log.log_end_offset_metadata)
    log.maybe_increment_log_start_offset(1)

    found = [searched(search_by_timestamp(log, NOW_MS + time)) for time in (1, 3, 6)]

    assert log.segments.base_offsets == [0, 2]
    assert found == [(1, NOW_MS + 1, 0), None, (2, NOW_MS + 9, 0)]


def test_a_segment_without_timestamps_is_as_late_as_its_file(tmp_path: Path) -> None:
    """Later records are not found until then (Kafka's ``LogSegment.largestTimestamp``)."""
    log = open_log(tmp_path, segment_bytes=100)
    for time in (-1, NOW_MS + 5):
        log.append_as_leader(batch(1, timestamp=time), 0)
    log.segments.first.file.set_modified_ms(NOW_MS)

    found = [searched(search_by_timestamp(log, NOW_MS + time)) for time in (0, 1)]

    assert found == [None, (1, NOW_MS + 5, 0)]


def test_the_largest_timestamp_may_be_that_of_records_without_one(tmp_path: Path) -> None:
    """The first record has it; a log without records has none."""
    log = open_log(tmp_path)
    assert searched(search_max_timestamp(log)) is None
    for _ in range(2):
        log.append_as_leader(batch(1, timestamp=-1), 4)
    assert searched(search_max_timestamp(log)) == (0, -1, 4)


def test_the_timestamp_of_a_batch_that_compaction_emptied_counts(tmp_path: Path) -> None:
    """It is in the header: no record with the largest timestamp is found, as in Kafka."""
    log = open_log(tmp_path)
    log.append_as_follower(emptied(batch(1, timestamp=NOW_MS + 9)), 0)
    log.append_as_leader(batch(1, timestamp=NOW_MS + 5), 0)

    assert log.segments.first.largest_timestamp() == NOW_MS + 9
    assert searched(search_max_timestamp(log)) is None
    assert searched(search_by_timestamp(log, NOW_MS + 5)) == (1, NOW_MS + 5, 0)
    assert searched(search_by_timestamp(log, NOW_MS + 6)) is None
