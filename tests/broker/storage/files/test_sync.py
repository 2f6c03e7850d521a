"""Files and directories are forced to the disk as far as the system can."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from types import ModuleType

import pytest

from broker.storage.files import sync
from tests.foreign_system import as_on

WINDOWS = as_on("win32", sync.__name__)


@pytest.mark.parametrize(
    ("system", "synced"), [(sync, ["file", "folder"]), (WINDOWS, ["file"])], ids=["posix", "win32"]
)
def test_what_is_forced_to_the_disk(system: ModuleType, synced: list[str], tmp_path: Path) -> None:
    """Windows has no call for directories. A path that does not exist is no error."""
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    inodes: list[int] = []
    for name in ("file", "folder", "absent"):
        system.sync_path(tmp_path / name, lambda fd: inodes.append(os.fstat(fd).st_ino))

    assert inodes == [(tmp_path / name).stat().st_ino for name in synced]


def test_windows_syncs_a_file_that_is_open_for_writing(tmp_path: Path) -> None:
    """It refuses others."""
    (tmp_path / "file").touch()
    modes: list[int] = []

    def fsync(fd: int) -> None:
        modes.append(fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_ACCMODE)

    WINDOWS.sync_path(tmp_path / "file", fsync)

    assert modes == [os.O_RDWR]


def test_the_descriptor_is_closed_if_the_sync_fails(tmp_path: Path) -> None:
    """The error is raised."""
    opened: list[int] = []

    def fail(fd: int) -> None:
        opened.append(fd)
        raise OSError("no space")

    with pytest.raises(OSError, match="no space"):
        sync.sync_path(tmp_path, fail)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(opened[0])
