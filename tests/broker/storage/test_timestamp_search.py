"""The search for a record by time: `broker.storage.timestamp_search`."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from broker.storage import log_segments, log_view, segment
from broker.storage.timestamp_search import SHORT_RECORDS_MAX, Examination
from protocol.compression import Codec
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import read_header
from protocol.record_batch.record import Record
from tests.broker.storage.logs import NOW_MS, batch, batch_of, open_log, searched


def examination(batch: bytes, timestamp: int, from_offset: int = 0) -> Examination:
    return Examination(read_header(batch), memoryview(batch), timestamp, from_offset)


@pytest.mark.parametrize("codec", list(Codec))
def test_the_first_record_that_is_late_enough(codec: Codec) -> None:
    """At or after an offset, in records of which some are longer than a piece."""
    values = [Record(None, bytes(1 + i % 7 * 100_000), timestamp=1000 + i) for i in range(50)]
    whole = build_batch(values, base_offset=200, codec=codec, partition_leader_epoch=3)

    assert examination(whole, 1020).first_record() == (220, 1020, 3)
    assert examination(whole, 1020, 240).first_record() == (240, 1040, 3)
    assert examination(whole, 1050).first_record() is None


def test_records_that_are_cut_short_are_corrupt() -> None:
    """A file may be damaged."""
    whole = build_batch([Record(None, b"value", timestamp=5)] * 3)
    header = read_header(whole)._replace(records_count=4)
    with pytest.raises(CorruptRecords, match="end inside a record"):
        Examination(header, memoryview(whole), 6, 0).first_record()


def test_short_batches_are_known_by_their_headers() -> None:
    """A compressed one may be a bomb."""
    few, many = [Record(None, b"")], [Record(None, b"")] * (SHORT_RECORDS_MAX + 1)
    assert examination(build_batch(few), 0).is_short
    assert not examination(build_batch(many), 0).is_short
    assert not examination(build_batch(few, codec=Codec.ZSTD), 0).is_short


def test_a_scan_ends_after_so_many_bytes(tmp_path: Path) -> None:
    """The search pauses, and goes on where it ended; deleted records make it look at the rest."""
    log = open_log(tmp_path)
    log.append_as_leader(batch_of([Record(None, b"", timestamp=NOW_MS + 9)] * 2), 0)
    for _ in range(20):
        log.append_as_leader(batch(1, timestamp=NOW_MS), 0)
    log.append_as_leader(batch(1, timestamp=NOW_MS + 8), 0)
    log.update_high_watermark(log.end_metadata)
    log.maybe_increment_log_start_offset(2)

    with patch.object(segment, "_SCAN_BYTES_MAX", 200):
        steps = list(log.search_by_timestamp(NOW_MS + 9))
        found = searched(log.search_by_timestamp(NOW_MS + 8))

    assert steps.count(None) >= 3
    assert found == (22, NOW_MS + 8, 0)


def test_a_scan_looks_at_so_many_segments(tmp_path: Path) -> None:
    """Each has a file to look into."""
    log = open_log(tmp_path, segment_bytes=100)
    for number in range(12):
        log.append_as_leader(batch(1, timestamp=NOW_MS + number), 0)

    with (
        patch.object(log_segments, "SCANNED_MAX", 3),
        patch.object(log_view, "SCANNED_MAX", 3),
    ):
        steps = list(log.search_by_timestamp(NOW_MS + 11))
        found = searched(log.search_by_timestamp(NOW_MS + 11))
        largest = searched(log.search_max_timestamp())

    assert steps[:3] == [None] * 3
    assert found == largest == (11, NOW_MS + 11, 0)


def test_a_log_that_shrinks_during_a_search_is_searched_as_it_is_then(tmp_path: Path) -> None:
    """Its files may be gone, too."""
    log = open_log(tmp_path, segment_bytes=200)
    for number in range(12):
        log.append_as_leader(batch(1, timestamp=NOW_MS + number), 0)
    search = log.search_by_timestamp(NOW_MS + 5)
    first = next(search)
    assert first is not None

    log.truncate_fully_and_start_at(40)
    log.append_as_leader(batch(1, timestamp=NOW_MS + 50), 0)
    again = search.send(None)

    assert again is not None
    assert again.first_record() == (40, NOW_MS + 50, 0)
