"""Tests of one segment: `broker.storage.segments.segment`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.storage.files.disk import Disk
from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.log_config import LogConfig
from broker.storage.segments.segment import LogSegment
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.broker.storage.logs import NOW_MS, FailingDisk

BATCH_BYTES = len(build_batch([Record(None, b"v" * 10, timestamp=NOW_MS)] * 2))


def segment_at(path: Path, base: int = 100, disk: Disk | None = None, **config: int) -> LogSegment:
    settings = LogConfig(**config)  # type: ignore[arg-type]  # sizes and times only
    return LogSegment.create(path, base, settings, disk or Disk(), NOW_MS)


def put(segment: LogSegment, offset: int, timestamp: int = NOW_MS, size: int = 10) -> int:
    """Append two records from *offset* on; returns the next offset."""
    values = [Record(None, b"v" * size, timestamp=timestamp)] * 2
    data = build_batch(values, base_offset=offset)
    segment.append(memoryview(data), [(len(data), offset + 1, timestamp)])
    return offset + 2


def should_roll(segment: LogSegment, config: LogConfig, **more: int) -> bool:
    arguments = {"size": 100, "last_offset": 110, "max_timestamp": NOW_MS, "now_ms": NOW_MS, **more}
    return segment.should_roll(config=config, **arguments)


def test_files_are_named_by_the_base_offset(tmp_path: Path) -> None:
    """With twenty digits."""
    segment = segment_at(tmp_path, base=42)
    put(segment, 42)
    segment.close()
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {f"{42:020d}.{suffix}" for suffix in ("log", "index", "timeindex")}


def test_index_entries_are_those_of_kafka(tmp_path: Path) -> None:
    """Before a batch, when more than the interval was appended since the last entry.

    The entry holds the batch's last offset and position, the time entry the largest timestamp up
    to then with the last offset of its batch; one more time entry closes the segment.
    """
    segment = segment_at(tmp_path, index_interval_bytes=BATCH_BYTES)
    for number, time in enumerate([5, 9, 7, 8, 20]):
        put(segment, 100 + number * 2, NOW_MS + time)
    segment.close()
    assert segment.offset_index.entries == [(105, 2 * BATCH_BYTES), (109, 4 * BATCH_BYTES)]
    assert segment.time_index.entries == [(NOW_MS + 9, 103), (NOW_MS + 20, 109)]


def test_a_failed_write_changes_nothing(tmp_path: Path) -> None:
    """Neither size, positions nor timestamps."""
    disk = FailingDisk()
    segment = segment_at(tmp_path, disk=disk)
    put(segment, 100)
    disk.room = 10
    with pytest.raises(OSError, match="No space left"):
        put(segment, 102, NOW_MS + 9)
    assert segment.size == segment.file.size() == BATCH_BYTES
    assert segment.largest_timestamp() == NOW_MS
    assert segment.locate(102) is None


def test_batches_are_located_by_their_offsets(tmp_path: Path) -> None:
    """The first batch whose last offset is at least the offset, also in gaps."""
    segment = segment_at(tmp_path)
    put(segment, 100)
    put(segment, 110)
    for _ in range(2):
        assert segment.locate(101) == (0, BATCH_BYTES)
        assert segment.locate(105) == (BATCH_BYTES, BATCH_BYTES)
        assert segment.locate(112) is None
        segment.become_inactive()


def test_old_batches_are_located_by_the_index(tmp_path: Path) -> None:
    """The positions of the latest ones are in memory."""
    segment = segment_at(tmp_path, base=0)
    offset = 0
    for _ in range(1000):
        offset = put(segment, offset)
    for wanted in range(0, 2000, 13):
        assert segment.locate(wanted) == (wanted // 2 * BATCH_BYTES, BATCH_BYTES)


@pytest.mark.parametrize("entry", ["position", "offset"])
def test_an_inconsistent_index_is_rebuilt(
    tmp_path: Path, entry: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It has no checksum, but the batch at an entry's position has its last offset."""
    segment = segment_at(tmp_path, index_interval_bytes=0)
    for number in range(9):
        put(segment, 100 + number * 2)
    segment.become_inactive()
    good = segment.offset_index.entries
    segment.offset_index.unload()
    segment.offset_index.file.write(b"\x01", 4 * 8 + (5 if entry == "position" else 3))
    assert [segment.locate(100 + at * 2) for at in range(9)] == [
        (at * BATCH_BYTES, BATCH_BYTES) for at in range(9)
    ]
    assert f"{segment.offset_index.file.path} is inconsistent" in caplog.text
    assert segment.offset_index.entries == good


def test_a_segment_rolls_by_size(tmp_path: Path) -> None:
    """If a batch would exceed ``segment.bytes``."""
    segment = segment_at(tmp_path)
    put(segment, 100)
    assert not should_roll(segment, LogConfig(segment_bytes=BATCH_BYTES + 100))
    assert should_roll(segment, LogConfig(segment_bytes=BATCH_BYTES + 99))


def test_a_segment_rolls_by_time(tmp_path: Path) -> None:
    """By the timestamp of the first batch; by the clock if it has none."""
    config = LogConfig(segment_ms=1000)
    segment = segment_at(tmp_path)
    assert not should_roll(segment, config, max_timestamp=NOW_MS + 5000), "it is empty"
    put(segment, 100)
    assert not should_roll(segment, config, max_timestamp=NOW_MS + 1000)
    assert should_roll(segment, config, max_timestamp=NOW_MS + 1001)
    assert not should_roll(segment, config, max_timestamp=-1, now_ms=NOW_MS + 5000)
    timeless = segment_at(tmp_path, base=200)
    put(timeless, 200, -1)
    for timestamp in (-1, NOW_MS * 2):
        assert not should_roll(timeless, config, max_timestamp=timestamp, now_ms=NOW_MS + 1000)
        assert should_roll(timeless, config, max_timestamp=timestamp, now_ms=NOW_MS + 1001)


def test_a_segment_rolls_earlier_with_jitter(tmp_path: Path) -> None:
    """So that not all segments roll at the same time."""
    segment = segment_at(tmp_path, segment_jitter_ms=500, segment_ms=1000)
    assert 0 <= segment.roll_jitter_ms < 500
    put(segment, 100)
    config = LogConfig(segment_jitter_ms=500, segment_ms=1000)
    assert should_roll(segment, config, max_timestamp=NOW_MS + 1001 - segment.roll_jitter_ms)


def test_a_segment_rolls_if_an_index_is_full(tmp_path: Path) -> None:
    """The time index keeps one entry free for the end."""
    segment = segment_at(tmp_path, index_interval_bytes=0, segment_index_bytes=24)
    put(segment, 100)
    assert not should_roll(segment, LogConfig())
    put(segment, 102, NOW_MS + 1)
    assert should_roll(segment, LogConfig())


def test_a_segment_rolls_if_relative_offsets_run_out(tmp_path: Path) -> None:
    """They have 31 bits in an index."""
    segment = segment_at(tmp_path)
    put(segment, 100)
    assert not should_roll(segment, LogConfig(), last_offset=100 + 2**31 - 1)
    assert should_roll(segment, LogConfig(), last_offset=100 + 2**31)


def test_truncation_updates_timestamps(tmp_path: Path) -> None:
    """The maximum is that of the remaining batches."""
    segment = segment_at(tmp_path, index_interval_bytes=0)
    for number, time in enumerate([5, 9, 30]):
        put(segment, 100 + number * 2, NOW_MS + time)
    assert segment.truncate_to(104) == BATCH_BYTES
    assert segment.largest_timestamp() == NOW_MS + 9
    assert segment.truncate_to(101) == 2 * BATCH_BYTES
    assert segment.largest_timestamp() == -1
    assert segment.truncate_to(101) == 0


def test_an_opened_segment_has_the_timestamps_it_was_closed_with(tmp_path: Path) -> None:
    """Also if it is appended to first; reading them does not change the index."""
    segment = segment_at(tmp_path, index_interval_bytes=0)
    for number, time in enumerate([5, 30, 9]):
        put(segment, 100 + number * 2, NOW_MS + time)
    segment.close()
    again = LogSegment(tmp_path, 100, LogConfig(), Disk(), NOW_MS)
    assert (again.first_timestamp(), again.largest_timestamp()) == (NOW_MS + 5, NOW_MS + 30)
    later = LogSegment(tmp_path, 100, LogConfig(index_interval_bytes=0), Disk(), NOW_MS)
    for number, time in enumerate([20, 40]):
        put(later, 106 + number * 2, NOW_MS + time)
    later.close()
    assert later.time_index.entries == [(NOW_MS + 30, 103), (NOW_MS + 40, 109)]


def test_a_batch_larger_than_one_read_is_found(tmp_path: Path) -> None:
    """And the batch after it."""
    segment = segment_at(tmp_path)
    put(segment, 100)
    put(segment, 102, size=1 << 20)
    put(segment, 104)
    assert [header.base_offset for _, header, _ in segment.batches()] == [100, 102, 104]
    assert segment.next_offset() == 106


def test_indexes_are_rebuilt_from_batches(tmp_path: Path) -> None:
    """They have the same entries as before."""
    segment = segment_at(tmp_path, index_interval_bytes=0)
    for number in range(5):
        put(segment, 100 + number * 2, NOW_MS + number)
    segment.become_inactive()
    before = segment.offset_index.entries, segment.time_index.entries
    segment.rebuild_indexes()
    assert (segment.offset_index.entries, segment.time_index.entries) == before


def test_flushed_indexes_are_in_their_files(tmp_path: Path) -> None:
    """Before they are synced."""
    segment = segment_at(tmp_path, index_interval_bytes=0)
    for number in range(3):
        put(segment, 100 + number * 2, NOW_MS + number)
    segment.flush_indexes()
    sizes = [path.stat().st_size for path in segment.paths if path.exists()]
    assert sizes == [segment.size, 16, 24]


def test_the_files_of_a_deleted_segment_are_renamed(tmp_path: Path) -> None:
    """Until they are removed."""
    segment = segment_at(tmp_path)
    put(segment, 100)
    segment.become_inactive()
    segment.transactions.append(AbortedTxn(1, 100, 101, 102))
    segment.mark_deleted()
    assert {path.suffix for path in tmp_path.iterdir()} == {".deleted"}
    assert len(list(tmp_path.iterdir())) == 4
    segment.remove()
    assert not list(tmp_path.iterdir())


def test_truncation_removes_aborted_transactions(tmp_path: Path) -> None:
    """Those whose markers are removed are open again."""
    segment = segment_at(tmp_path)
    for offset in (100, 102, 104):
        put(segment, offset)
    assert not segment.has_transactions
    segment.transactions.append(AbortedTxn(1, 100, 101, 102))
    segment.transactions.append(AbortedTxn(1, 102, 104, 105))
    assert segment.has_transactions
    segment.truncate_to(104)
    assert segment.transactions.entries == [AbortedTxn(1, 100, 101, 102)]
    segment.remove_transaction_index()
    assert not segment.has_transactions


def test_a_file_that_ends_within_a_batch_is_corrupt(tmp_path: Path) -> None:
    """The next offset is not known."""
    segment = segment_at(tmp_path)
    put(segment, 100)
    assert segment.next_offset() == 102
    segment.file.write(b"half a batch", segment.size)
    segment.size += 12
    with pytest.raises(CorruptRecords, match=f"no batch at position {BATCH_BYTES}"):
        segment.next_offset()


def test_closing_removes_bytes_of_a_failed_write(tmp_path: Path) -> None:
    """After a clean shutdown the file ends with a complete batch."""
    segment = segment_at(tmp_path)
    put(segment, 100)
    segment.file.write(b"half a batch", segment.size)
    segment.close()
    assert segment.file.size() == BATCH_BYTES
    segment.release()
    segment.remove()
    assert list(tmp_path.iterdir()) == []
