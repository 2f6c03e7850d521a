"""The only door to the disk: every byte that a log reads or writes passes through here.

Tests put a `Disk` in its place that runs out of space, writes short or fails to sync. Files are
opened when first used and closed again, least recently used first, when too many are open, so that
5,000 partitions get by with a thousand descriptors.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from broker.errors import ApiError
from protocol.errors import ErrorCode

logger = logging.getLogger(__name__)

Bytes = bytes | bytearray | memoryview

OPEN_FILES_MAX = 512


class Disk:
    """The system calls, and the files that are open; a test overrides what it wants to fail."""

    def __init__(self, open_files_max: int = OPEN_FILES_MAX) -> None:
        self._open_files_max = open_files_max
        # Oldest first; those closed since are passed over. A file used since it came here is
        # spared once (second chance).
        self._open: deque[DiskFile] = deque()
        self._abandoned = False

    pwrite = staticmethod(os.pwrite)
    pread = staticmethod(os.pread)
    ftruncate = staticmethod(os.ftruncate)
    fsync = staticmethod(os.fsync)

    def file(self, path: Path) -> DiskFile:
        """The file at *path*, which is made when it is first used."""
        return DiskFile(self, path)

    def open(self, file: DiskFile) -> int:
        """Open *file*, closing another one if that is needed."""
        self._check_not_abandoned()
        while len(self._open) >= self._open_files_max:
            oldest = self._open.popleft()
            if oldest.fd < 0:
                continue
            if oldest.recently_used:
                oldest.recently_used = False
                self._open.append(oldest)
            else:
                oldest.close()
        self._open.append(file)
        return os.open(file.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)

    @property
    def open_files(self) -> int:
        """How many descriptors are in use."""
        return len({file for file in self._open if file.fd >= 0})

    def replace(self, path: Path, content: bytes, *, sync: bool = False) -> None:
        """Write a small file so that either all of it is there or what was there before."""
        self._check_not_abandoned()
        temporary = path.with_name(path.name + ".tmp")
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            write_all(self, fd, content, 0)
            if sync:
                self.fsync(fd)
        finally:
            os.close(fd)
        temporary.replace(path)
        if sync:
            self.sync_directory(path.parent)

    def sync_directory(self, path: Path) -> None:
        """Make renames and new names in *path* last."""
        with opened(path, os.O_RDONLY) as fd:
            self.fsync(fd)

    def abandon(self) -> None:
        """Close every file as the death of the process would; whoever still writes is refused."""
        self._abandoned = True
        while self._open:
            self._open.pop().close()

    def _check_not_abandoned(self) -> None:
        if self._abandoned:
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    def remove_tree(self, path: Path) -> None:
        """Remove a folder and what is in it, be it gone already or not."""
        shutil.rmtree(path, ignore_errors=True)


class DiskFile:
    """A file by path, opened when it is used.

    Invariant: ``fd`` is -1 exactly while the file is closed.
    """

    __slots__ = ("_disk", "fd", "path", "recently_used")

    def __init__(self, disk: Disk, path: Path) -> None:
        self._disk = disk
        self.path = path
        self.fd = -1
        self.recently_used = False

    def write(self, data: Bytes, position: int) -> None:
        """Write all of *data* at *position*; raises OSError, part of it written perhaps."""
        fd = self.fd
        if fd < 0:
            fd = self._reopen()
        self.recently_used = True
        if self._disk.pwrite(fd, data, position) != len(data):
            write_all(self._disk, fd, data, position)

    def read(self, size: int, position: int) -> bytes:
        """Read up to *size* bytes at *position*; fewer only at the file's end."""
        fd = self.fd
        if fd < 0:
            fd = self._reopen()
        self.recently_used = True
        data = self._disk.pread(fd, size, position)
        if len(data) == size or not data:
            return data
        parts = [data]
        got = len(data)
        while got < size and (data := self._disk.pread(fd, size - got, position + got)):
            parts.append(data)
            got += len(data)
        return b"".join(parts)

    def truncate(self, size: int) -> None:
        """Cut the file to *size* bytes."""
        self._disk.ftruncate(self.fd if self.fd >= 0 else self._reopen(), size)

    def sync(self) -> None:
        """Return when the disk has what was written."""
        self._disk.fsync(self.fd if self.fd >= 0 else self._reopen())

    def size(self) -> int:
        """The file's size; 0 if it does not exist."""
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0

    def close(self) -> None:
        """Give the descriptor back."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def rename(self, path: Path) -> None:
        """Give the file another name."""
        self.path.rename(path)
        self.path = path

    def remove(self) -> None:
        """Close and delete the file, be it there or not."""
        self.close()
        self.path.unlink(missing_ok=True)

    def _reopen(self) -> int:
        self.fd = self._disk.open(self)
        return self.fd


def write_all(disk: Disk, fd: int, data: Bytes, position: int) -> None:
    """Write until everything is written: a short write tells its reason only when repeated."""
    rest = memoryview(data)
    while rest:
        written = disk.pwrite(fd, rest, position)
        position += written
        rest = rest[written:]


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """A descriptor for the length of a block."""
    fd = os.open(path, flags | os.O_CLOEXEC)
    try:
        yield fd
    finally:
        os.close(fd)


class StorageErrors:
    """Makes what the disk refuses within a block `ApiError` KAFKA_STORAGE_ERROR, and logs it."""

    __slots__ = ("_about",)

    def __init__(self, about: object) -> None:
        self._about = about

    def __enter__(self) -> None:
        return

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if isinstance(error, OSError):
            logger.error("%s: %s", self._about, error)
            text = f"{self._about}: {error.strerror}"
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR, text) from error
