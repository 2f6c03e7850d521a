"""The door to the disk: `broker.storage.disk`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.errors import ApiError
from broker.storage.disk import Disk, StorageErrors
from protocol.errors import ErrorCode
from tests.broker.storage.logs import FailingDisk


class ShortDisk(Disk):
    """Writes and reads three bytes at a time."""

    def pwrite(self, fd: int, data: Any, position: int) -> int:
        return Disk.pwrite(fd, memoryview(data)[:3], position)

    def pread(self, fd: int, size: int, position: int) -> bytes:
        return Disk.pread(fd, min(size, 3), position)


def test_short_writes_and_reads_are_continued(tmp_path: Path) -> None:
    """The system may do less than asked without an error."""
    file = ShortDisk().file(tmp_path / "f")
    file.write(b"0123456789", 0)
    assert file.read(8, 1) == b"12345678"
    assert file.read(100, 5) == b"56789"
    assert file.read(5, 10) == b""


def test_a_full_disk_says_so(tmp_path: Path) -> None:
    """The first short write is no error, the next one tells the reason."""
    file = FailingDisk(room=4).file(tmp_path / "f")
    with pytest.raises(OSError, match="No space left"):
        file.write(b"0123456789", 0)


def test_open_files_are_bounded(tmp_path: Path) -> None:
    """Files are closed for others and opened again when used."""
    disk = Disk(open_files_max=4)
    files = [disk.file(tmp_path / str(i)) for i in range(20)]
    for turn in range(3):
        for i, file in enumerate(files):
            file.write(b"%d" % turn, turn)
            assert disk.open_files <= 4
            assert files[0].read(1, 0) == b"0"
            assert i < 20
    assert all(file.read(3, 0) == b"012" for file in files)


def test_a_file_in_use_is_spared(tmp_path: Path) -> None:
    """Least recently used goes first."""
    disk = Disk(open_files_max=3)
    busy = disk.file(tmp_path / "busy")
    busy.write(b"x", 0)
    for i in range(10):
        busy.read(1, 0)
        disk.file(tmp_path / str(i)).write(b"x", 0)
    assert busy.fd >= 0


def test_replacing_leaves_the_old_file_if_it_fails(tmp_path: Path) -> None:
    """All of the new content or all of the old."""
    disk = FailingDisk()
    disk.replace(tmp_path / "f", b"old")
    disk.room = 1
    with pytest.raises(OSError, match="No space left"):
        disk.replace(tmp_path / "f", b"new")
    assert (tmp_path / "f").read_bytes() == b"old"


def test_replacing_for_good_syncs_file_and_directory(tmp_path: Path) -> None:
    """A rename that is not synced can be lost with the power."""
    disk = FailingDisk()
    disk.replace(tmp_path / "f", b"new", sync=True)
    assert disk.syncs == 2


def test_a_removed_file_is_gone(tmp_path: Path) -> None:
    """Be it there or not."""
    file = Disk().file(tmp_path / "f")
    file.remove()
    file.write(b"x", 0)
    file.remove()
    assert file.size() == 0
    assert not file.path.exists()


def test_what_the_disk_refuses_has_kafkas_error(caplog: pytest.LogCaptureFixture) -> None:
    """The answer has the code, the log the reason; other errors fly."""
    with pytest.raises(ApiError) as refused, StorageErrors("orders-0"):
        raise OSError(5, "Input/output error", "0.log")
    assert refused.value.code is ErrorCode.KAFKA_STORAGE_ERROR
    assert "orders-0: [Errno 5] Input/output error: '0.log'" in caplog.text
    with pytest.raises(KeyError), StorageErrors("orders-0"):
        raise KeyError
