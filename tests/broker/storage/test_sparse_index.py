"""What both indexes have in common: `broker.storage.sparse_index`."""

from __future__ import annotations

from pathlib import Path

from broker.storage.disk import Disk
from broker.storage.offset_index import OffsetIndex


class CountingDisk(Disk):
    """Counts the bytes that are read."""

    bytes_read = 0

    def pread(self, fd: int, size: int, position: int) -> bytes:
        self.bytes_read += size
        return Disk.pread(fd, size, position)


def filled(path: Path, disk: Disk, count: int) -> OffsetIndex:
    index = OffsetIndex(disk.file(path / "0.index"), 0, 1 << 20)
    for number in range(1, count + 1):
        index.append(number * 10, number * 100)
    return index


def test_an_unloaded_index_is_searched_in_its_file(tmp_path: Path) -> None:
    """A look-up reads a few entries, not all."""
    disk = CountingDisk()
    index = filled(tmp_path, disk, 10_000)
    expected = [index.lookup(offset) for offset in range(0, 101_000, 999)]
    index.unload()
    assert [index.lookup(offset) for offset in range(0, 101_000, 999)] == expected
    disk.bytes_read = 0
    assert index.lookup(77_777) == 777_700
    assert disk.bytes_read <= 16 * 8


def test_it_goes_on_where_the_file_ends(tmp_path: Path) -> None:
    """Its size is known without reading it."""
    index = filled(tmp_path, Disk(), 5)
    index.unload()
    assert len(index) == 5
    index.append(99, 990)
    assert (len(index), index.last_position) == (6, 990)
    index.flush()
    assert index.file.size() == 48


def test_only_what_is_new_is_written(tmp_path: Path) -> None:
    """And nothing twice."""
    disk = Disk()
    index = filled(tmp_path, disk, 3)
    index.flush()
    index.file.write(b"\xff", 0)
    index.append(99, 990)
    index.flush()
    assert index.file.read(1, 0) == b"\xff"


def test_what_follows_the_entries_is_cut_off(tmp_path: Path) -> None:
    """Be it forgotten entries, or half of one."""
    index = filled(tmp_path, Disk(), 3)
    index.unload()
    index.file.write(b"half", 24)
    assert index.lookup(30) == 300
    index.truncate_to(25)
    index.unload()
    assert index.file.size() == 16
    index.reset()
    assert (len(index), index.last_position, index.file.size()) == (0, 0, 0)
