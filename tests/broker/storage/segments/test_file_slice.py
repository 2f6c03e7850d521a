"""Tests of records that are read while they are sent: `broker.storage.segments.file_slice`."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from broker.storage.files.disk import Disk, DiskFile
from broker.storage.files.positional import pread
from broker.storage.segments.file_slice import FileSlice
from protocol.output import SendFile, SpliceLost
from tests.broker.storage.logs import FailingDisk

DATA = bytes(range(200))


class UnopenableDisk(Disk):
    """A disk on which no file can be opened."""

    def open(self, file: DiskFile) -> int:
        raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.fixture
def file(tmp_path: Path) -> DiskFile:
    """A file with some bytes."""
    made = Disk().file(tmp_path / "0.log")
    made.write(DATA, 0)
    return made


def test_pieces_have_the_bytes_of_the_file(file: DiskFile) -> None:
    """Also after the file was closed and renamed."""
    records = FileSlice(file, 10, 100)

    assert len(records) == 100
    assert records.read(0, 30) == DATA[10:40]
    file.close()
    file.rename("0.log.deleted")
    assert records.read(30, 70) == DATA[40:110]
    assert records.whole() == DATA[10:110]


def test_later_appends_do_not_change_a_slice(file: DiskFile) -> None:
    """A slice has a fixed end."""
    records = FileSlice(file, 0, 200)
    file.write(b"more", 200)
    assert records.whole() == DATA


def test_a_deleted_file_is_lost(file: DiskFile) -> None:
    """It is not made again."""
    records = FileSlice(file, 0, 200)
    file.remove()
    with pytest.raises(SpliceLost, match="was deleted or truncated"):
        records.read(0, 10)
    assert not file.exists()


def test_a_truncated_file_is_lost(file: DiskFile) -> None:
    """Other records may be at the same position."""
    records = FileSlice(file, 0, 200)
    file.truncate(100)
    file.write(bytes(100), 100)
    with pytest.raises(SpliceLost):
        records.read(0, 10)
    assert FileSlice(file, 0, 200).whole() == DATA[:100] + bytes(100)


def test_a_file_that_is_too_short_is_lost(file: DiskFile) -> None:
    """The response could not be completed."""
    with pytest.raises(SpliceLost, match="shorter"):
        FileSlice(file, 0, 201).whole()


def _send_to(sent: list[bytes], room: int = 1 << 30) -> SendFile:
    """A socket with *room* for that many bytes."""

    def send_file(descriptor: int, position: int, size: int) -> int:
        data = pread(descriptor, min(size, room), position)
        sent.append(data)
        return len(data)

    return send_file


def test_a_slice_is_sent_from_the_file(file: DiskFile) -> None:
    """Also after the file was closed."""
    sent: list[bytes] = []
    records = FileSlice(file, 10, 100)

    assert records.send(_send_to(sent), 0, 30) == 30
    file.close()
    assert records.send(_send_to(sent), 30, 70) == 70

    assert sent == [DATA[10:40], DATA[40:110]]


def test_a_full_socket_gets_a_part(file: DiskFile) -> None:
    """Or nothing, which is no error."""
    sent: list[bytes] = []
    records = FileSlice(file, 0, 200)

    assert records.send(_send_to(sent, room=50), 0, 200) == 50
    assert records.send(_send_to(sent, room=0), 50, 150) == 0


def test_a_file_that_the_system_cannot_send_must_be_read(file: DiskFile) -> None:
    """Some file systems do not support it."""
    assert FileSlice(file, 0, 200).send(lambda *_: None, 0, 200) is None


def test_records_after_the_end_of_the_file_are_not_sent(file: DiskFile) -> None:
    """The response could not be completed."""
    with pytest.raises(SpliceLost, match="shorter"):
        FileSlice(file, 200, 300).send(_send_to([]), 0, 100)


def test_a_deleted_file_is_not_sent(file: DiskFile) -> None:
    """It is not made again."""
    records = FileSlice(file, 0, 200)
    file.remove()

    with pytest.raises(SpliceLost, match="was deleted or truncated"):
        records.send(_send_to([]), 0, 100)
    assert not file.exists()


def test_a_file_that_cannot_be_opened_takes_the_disk_offline(tmp_path: Path) -> None:
    """As after a failed read."""
    disk = UnopenableDisk()
    file = disk.file(tmp_path / "0.log")
    file.path.write_bytes(DATA)

    with pytest.raises(SpliceLost):
        FileSlice(file, 0, 200).send(_send_to([]), 0, 200)
    assert disk.failure is not None


def test_a_disk_that_fails_is_offline(tmp_path: Path) -> None:
    """As after any other failed read."""
    disk = FailingDisk()
    file = disk.file(tmp_path / "0.log")
    file.write(DATA, 0)
    disk.unreadable = True
    with pytest.raises(SpliceLost):
        FileSlice(file, 0, 200).whole()
    assert disk.failure is not None
