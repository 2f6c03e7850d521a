"""Tests of ``.timeindex`` files: `broker.storage.indexes.time_index`."""

from __future__ import annotations

from pathlib import Path

from broker.storage.files.disk import Disk
from broker.storage.indexes.time_index import TimeIndex


def index_at(path: Path, size: int = 120) -> TimeIndex:
    return TimeIndex(Disk().file(path / "0.timeindex"), 100, size)


def test_the_file_has_kafkas_bytes(tmp_path: Path) -> None:
    """Timestamp as int64, relative offset as int32, big-endian."""
    index = index_at(tmp_path)
    index.maybe_append(258, 105)
    index.flush()
    assert index.file.path.read_bytes() == b"\x00" * 6 + b"\x01\x02\x00\x00\x00\x05"


def test_only_later_timestamps_are_added(tmp_path: Path) -> None:
    """Timestamps and offsets increase."""
    index = index_at(tmp_path)
    for timestamp, offset in [(50, 103), (50, 104), (40, 105), (60, 106)]:
        index.maybe_append(timestamp, offset)
    assert index.entries == [(50, 103), (60, 106)]
    assert index.last_entry == (60, 106)


def test_records_without_a_timestamp_are_not_added(tmp_path: Path) -> None:
    """Kafka's index of such a segment is empty."""
    index = index_at(tmp_path)
    index.maybe_append(-1, 103)
    assert not index.entries


def test_a_look_up_finds_the_last_entry_up_to_the_timestamp(tmp_path: Path) -> None:
    """Before the first entry it is the base offset."""
    index = index_at(tmp_path)
    index.maybe_append(50, 103)
    index.maybe_append(60, 106)
    assert [index.lookup(time) for time in (49, 50, 59, 60, 99)] == [100, 103, 103, 106, 106]


def test_an_unloaded_index_reads_its_file(tmp_path: Path) -> None:
    """Entries can be added afterwards."""
    index = index_at(tmp_path)
    assert index.last_entry is None
    index.maybe_append(50, 103)
    index.unload()
    index.maybe_append(60, 106)
    index.unload()
    assert index.entries == [(50, 103), (60, 106)]


def test_truncation_removes_the_entries_from_the_offset_on(tmp_path: Path) -> None:
    """Also in the file."""
    index = index_at(tmp_path)
    for timestamp, offset in [(50, 103), (60, 106), (70, 109)]:
        index.maybe_append(timestamp, offset)
    index.flush()
    index.truncate_to(106)
    index.unload()
    assert index.entries == [(50, 103)]
    index.reset()
    assert index.file.path.read_bytes() == b""


def test_one_entry_is_kept_free(tmp_path: Path) -> None:
    """For the last entry of the segment."""
    index = index_at(tmp_path, size=24)
    assert not index.is_full
    index.maybe_append(50, 103)
    assert index.is_full


def test_only_a_possible_file_is_sane(tmp_path: Path) -> None:
    """An empty file is; a missing one, zeros at the end and incomplete entries are not."""
    index = index_at(tmp_path)
    assert not index.is_sane()
    index.reset()
    index.unload()
    assert index.is_sane()
    index.maybe_append(50, 103)
    index.unload()
    assert index.is_sane()
    index.file.write(b"\x00" * 12, 12)
    assert not index.is_sane()
    index.file.truncate(13)
    assert not index.is_sane()
