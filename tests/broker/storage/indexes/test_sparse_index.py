"""Tests of the common part of both indexes: `broker.storage.indexes.sparse_index`."""

from __future__ import annotations

from pathlib import Path

from broker.storage.files.disk import Disk
from broker.storage.indexes.offset_index import OffsetIndex


class CountingDisk(Disk):
    """Counts the bytes that are read."""

    bytes_read = 0

    def pread(self, fd: int, size: int, position: int) -> bytes:
        self.bytes_read += size
        return super().pread(fd, size, position)


def filled(path: Path, disk: Disk, count: int) -> OffsetIndex:
    index = OffsetIndex(disk.file(path / "0.index"), 0, 1 << 20)
    for number in range(1, count + 1):
        index.append(number * 10, number * 100)
    return index


def test_an_unloaded_index_is_searched_in_its_file(tmp_path: Path) -> None:
    """A look-up reads few entries."""
    disk = CountingDisk()
    index = filled(tmp_path, disk, 10_000)
    expected = [index.lookup(offset) for offset in range(0, 101_000, 999)]
    index.unload()
    assert [index.lookup(offset) for offset in range(0, 101_000, 999)] == expected
    disk.bytes_read = 0
    assert index.lookup(77_777) == 777_700
    assert disk.bytes_read <= 16 * 8


def test_entries_are_added_after_those_in_the_file(tmp_path: Path) -> None:
    """Its size is known without reading it."""
    index = filled(tmp_path, Disk(), 5)
    index.unload()
    assert len(index) == 5
    index.append(99, 990)
    assert (len(index), index.last_position) == (6, 990)
    index.flush()
    assert index.file.size() == 48


def test_only_new_entries_are_written(tmp_path: Path) -> None:
    """No entry is written twice."""
    disk = Disk()
    index = filled(tmp_path, disk, 3)
    index.flush()
    index.file.write(b"\xff", 0)
    index.append(99, 990)
    index.flush()
    assert index.file.read(1, 0) == b"\xff"


def test_bytes_after_the_entries_are_removed(tmp_path: Path) -> None:
    """Removed entries, or an incomplete one."""
    index = filled(tmp_path, Disk(), 3)
    index.unload()
    index.file.write(b"half", 24)
    assert index.lookup(30) == 300
    index.truncate_to(25)
    index.unload()
    assert index.file.size() == 16
    index.reset()
    assert (len(index), index.last_position, index.file.size()) == (0, 0, 0)
