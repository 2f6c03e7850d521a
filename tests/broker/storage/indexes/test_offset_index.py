"""Tests of ``.index`` files: `broker.storage.indexes.offset_index`."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from broker.storage.files.disk import Disk
from broker.storage.indexes.offset_index import OffsetIndex


def index_at(path: Path, base: int = 100, size: int = 80) -> OffsetIndex:
    return OffsetIndex(Disk().file(path / "0.index"), base, size)


def test_the_file_has_kafkas_bytes(tmp_path: Path) -> None:
    """Relative offset and position, big-endian int32 each."""
    index = index_at(tmp_path)
    index.append(105, 4200)
    index.flush()
    assert index.file.path.read_bytes() == b"\x00\x00\x00\x05\x00\x00\x10\x68"


def test_a_look_up_finds_the_last_entry_up_to_the_offset(tmp_path: Path) -> None:
    """Before the first entry the segment is read from its beginning."""
    index = index_at(tmp_path)
    index.append(105, 40)
    index.append(109, 80)
    found = [index.lookup(offset) for offset in (100, 104, 105, 108, 109, 500)]
    assert found == [0, 0, 40, 40, 80, 80]


@given(st.lists(st.integers(1, 1000), max_size=10, unique=True), st.integers(0, 1100))
def test_flushed_entries_are_read_again(offsets: list[int], wanted: int) -> None:
    """Look-ups in the file have the same results."""
    with TemporaryDirectory() as path:
        index = index_at(Path(path), base=0)
        for offset in sorted(offsets):
            index.append(offset, offset * 10)
        expected = index.lookup(wanted), index.entries
        index.unload()
        assert (index.lookup(wanted), index.entries) == expected
        index.file.close()


def test_truncation_removes_the_entries_from_the_offset_on(tmp_path: Path) -> None:
    """Also in the file, if more had been flushed."""
    index = index_at(tmp_path)
    for offset in (105, 109, 112):
        index.append(offset, offset)
    index.flush()
    index.truncate_to(109)
    index.append(110, 99)
    index.unload()
    assert index.entries == [(105, 105), (110, 99)]


def test_a_full_index_is_reported(tmp_path: Path) -> None:
    """The segment is then rolled."""
    index = index_at(tmp_path, size=16)
    index.append(101, 1)
    assert not index.is_full
    index.append(102, 2)
    assert index.is_full


def test_only_a_possible_file_is_sane(tmp_path: Path) -> None:
    """An empty file is; a missing one, zeros at the end and incomplete entries are not."""
    index = index_at(tmp_path)
    assert not index.is_sane(1000)
    index.reset()
    index.unload()
    assert index.is_sane(1000)
    index.append(105, 40)
    index.unload()
    assert index.is_sane(1000)
    assert not index.is_sane(40), "the position is beyond the segment"
    index.file.write(b"\x00" * 8, 8)
    assert not index.is_sane(1000)
    index.file.truncate(7)
    assert not index.is_sane(1000)


def test_the_upper_bound_of_a_position_is_the_next_entry(tmp_path: Path) -> None:
    """The entry at the position itself counts, except the first; the last entry has none."""
    index = index_at(tmp_path)
    index.append(105, 40)
    index.append(109, 80)
    found = [index.upper_bound(position) for position in (0, 39, 40, 41, 80, 81)]
    assert found == [105, 105, 109, 109, 109, None]


def test_the_only_entry_is_no_upper_bound_of_its_position(tmp_path: Path) -> None:
    """As in Kafka, whose search does not find it."""
    index = index_at(tmp_path)
    index.append(105, 40)
    assert [index.upper_bound(position) for position in (39, 40)] == [105, None]


def test_an_empty_index_has_no_upper_bound(tmp_path: Path) -> None:
    """The caller uses the end of the segment."""
    assert index_at(tmp_path).upper_bound(0) is None
