"""Tests of reads, writes and failures: `broker.storage.files.disk`."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from broker.storage.files.disk import Disk, DiskFile
from broker.storage.files.open_files import OpenFiles
from tests.broker.storage.logs import FailingDisk


class ShortDisk(Disk):
    """Writes and reads three bytes at a time."""

    def pwrite(self, fd: int, data: Any, position: int) -> int:
        return super().pwrite(fd, memoryview(data)[:3], position)

    def pread(self, fd: int, size: int, position: int) -> bytes:
        return super().pread(fd, min(size, 3), position)


def test_short_writes_and_reads_are_continued(tmp_path: Path) -> None:
    """A system call may process fewer bytes without an error."""
    file = ShortDisk().file(tmp_path / "f")
    file.write(b"0123456789", 0)
    assert file.read(8, 1) == b"12345678"
    assert file.read(100, 5) == b"56789"
    assert file.read(5, 10) == b""


def test_a_full_disk_raises_its_error(tmp_path: Path) -> None:
    """The first short write is no error, the next call raises the reason."""
    file = FailingDisk(room=4).file(tmp_path / "f")
    with pytest.raises(OSError, match="No space left"):
        file.write(b"0123456789", 0)


def test_open_files_are_limited(tmp_path: Path) -> None:
    """Files are closed for others and opened again on use."""
    open_files = OpenFiles[DiskFile](4)
    disk = Disk(open_files)
    files = [disk.file(tmp_path / str(i)) for i in range(20)]
    for number in range(3):
        for file in files:
            file.write(b"%d" % number, number)
            assert len(open_files) == sum(each.fd >= 0 for each in files) <= 4
            assert files[0].read(1, 0) == b"0"
    assert all(file.read(3, 0) == b"012" for file in files)


def test_without_descriptors_another_file_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Connections may have used the descriptors."""
    disk = Disk()
    first, second = disk.file(tmp_path / "1"), disk.file(tmp_path / "2")
    first.write(b"x", 0)
    open_file = os.open

    def open_at_most_one(*arguments: Any) -> int:
        if first.fd >= 0:
            raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
        return open_file(*arguments)

    monkeypatch.setattr(os, "open", open_at_most_one)
    second.write(b"y", 0)
    assert (first.fd, disk.failure) == (-1, None)


def test_too_many_open_files_are_no_failure_of_the_disk(tmp_path: Path) -> None:
    """The use raises, and the next one may find a descriptor."""
    disk = Disk()
    reported: list[object] = []
    disk.on_failure = lambda about, _: reported.append(about)

    for number in (errno.EMFILE, errno.ENFILE):
        disk.fail("a log", OSError(number, os.strerror(number)))

    assert (disk.failure, reported) == (None, [])
    disk.file(tmp_path / "1").write(b"x", 0)


def test_a_failed_disk_stays_offline(tmp_path: Path) -> None:
    """Its files are closed, none is opened, and only the first failure is reported."""
    reported: list[tuple[object, OSError]] = []
    open_files = OpenFiles[DiskFile]()
    disk, other = Disk(open_files), Disk(open_files)
    disk.on_failure = lambda about, error: reported.append((about, error))
    file, elsewhere = disk.file(tmp_path / "f"), other.file(tmp_path / "g")
    file.write(b"x", 0)
    elsewhere.write(b"x", 0)
    reason = OSError(5, "Input/output error")
    disk.fail("orders-0", reason)
    disk.fail("orders-1", OSError(28, "No space left on device"))
    assert reported == [("orders-0", reason)]
    assert (file.fd, disk.failure) == (-1, reason)
    uses: list[Callable[[], None]] = [
        lambda: file.write(b"y", 0),
        lambda: disk.replace(tmp_path / "h", b"z"),
        lambda: disk.rename(tmp_path / "f", tmp_path / "h"),
        lambda: file.rename("h"),
        file.remove,
    ]
    for use in uses:
        with pytest.raises(OSError, match="Input/output error"):
            use()
    assert elsewhere.read(1, 0) == b"x"
    assert file.path.read_bytes() == b"x"


def test_a_failure_is_logged_by_default(caplog: pytest.LogCaptureFixture) -> None:
    """With the user of the disk."""
    Disk().fail("orders-0", OSError(5, "Input/output error", "0.log"))
    assert "orders-0: [Errno 5] Input/output error: '0.log'" in caplog.text


def test_a_failed_replacement_keeps_the_old_file(tmp_path: Path) -> None:
    """The content is either the new or the old one."""
    disk = FailingDisk()
    disk.replace(tmp_path / "f", b"old")
    disk.room = 1
    with pytest.raises(OSError, match="No space left"):
        disk.replace(tmp_path / "f", b"new")
    assert (tmp_path / "f").read_bytes() == b"old"


def test_a_synced_replacement_syncs_file_and_directory(tmp_path: Path) -> None:
    """A power failure can undo a rename that is not synced."""
    disk = FailingDisk()
    disk.replace(tmp_path / "f", b"new", sync=True)
    assert disk.syncs == 2


def test_a_removed_file_need_not_exist(tmp_path: Path) -> None:
    """It is closed if it was open."""
    file = Disk().file(tmp_path / "f")
    file.remove()
    file.write(b"x", 0)
    file.remove()
    assert file.size() == 0
    assert not file.path.exists()


def test_a_renamed_file_has_its_new_name(tmp_path: Path) -> None:
    """Whether it is open or not, and exists or not."""
    file = Disk().file(tmp_path / "f")
    file.rename("g")
    file.write(b"x", 0)
    file.rename("h")
    file.write(b"y", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["h"]
    assert (tmp_path / "h").read_bytes() == b"xy"


def test_a_missing_file_needs_no_sync(tmp_path: Path) -> None:
    """A file may be removed while it waits for its sync."""
    disk = FailingDisk()
    disk.sync_path(tmp_path / "gone")
    disk.sync_path(tmp_path)
    assert disk.syncs == 1
