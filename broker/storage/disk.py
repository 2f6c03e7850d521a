"""The only door to a disk: every byte that a log reads or writes passes through here.

A data directory has a disk. When that refuses something it has failed for good: its files are
closed and nothing is opened any more, until a restart (Kafka's offline log directory). Tests put a
`Disk` in its place that runs out of space, writes short or fails to sync.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from broker.process.descriptors import TOO_MANY_OPEN
from broker.storage.open_files import OpenFiles

logger = logging.getLogger(__name__)

Bytes = bytes | bytearray | memoryview


class Disk:
    """The system calls, the files that are open, and the failure that ended it, if one did."""

    def __init__(self, open_files: OpenFiles[DiskFile] | None = None) -> None:
        self.failure: OSError | None = None
        # Told once, with the thing that met the failure.
        self.on_failure: Callable[[object, OSError], None] = _log_failure
        self._open_files = OpenFiles[DiskFile]() if open_files is None else open_files

    pwrite = staticmethod(os.pwrite)
    pread = staticmethod(os.pread)
    ftruncate = staticmethod(os.ftruncate)
    fsync = staticmethod(os.fsync)

    def file(self, path: Path) -> DiskFile:
        """The file at *path*, which is made when it is first used."""
        return DiskFile(self, path.parent, path.name)

    def open(self, file: DiskFile) -> int:
        """Open *file*, closing another one if that is needed."""
        self.check()
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
        while True:
            try:
                fd = os.open(file.place, flags, 0o644)
                break
            except OSError as error:
                # Not this disk's fault: connections have taken more than their half.
                if error.errno not in TOO_MANY_OPEN or not self._open_files.close_one():
                    raise
        self._open_files.add(file)
        return fd

    def closed(self, file: DiskFile) -> None:
        """*file* has given its descriptor back."""
        self._open_files.discard(file)

    def check(self) -> None:
        """Raise OSError if the disk has failed."""
        if self.failure is not None:
            raise OSError(self.failure.errno, self.failure.strerror)

    def fail(self, about: object, error: OSError) -> None:
        """Have failed, with *error*, which *about* met.

        Not because of too many open files: the next use may find a descriptor.
        """
        if error.errno in TOO_MANY_OPEN:
            logger.error("%s: %s", about, error)
        elif self.failure is None:
            self.abandon(error)
            self.on_failure(about, error)

    def abandon(self, reason: OSError) -> None:
        """Close every file as the death of the process would, and refuse whoever comes later."""
        self.failure = reason
        self.close_files()

    def close_files(self) -> None:
        """Close every file; those that are used again are opened again."""
        for file in self._open_files:
            if file.disk is self:
                file.close()

    def replace(self, path: Path, content: bytes, *, sync: bool = False) -> None:
        """Write a small file so that either all of it is there or what was there before."""
        self.check()
        temporary = path.with_name(path.name + ".tmp")
        with opened(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC) as fd:
            write_all(self, fd, content, 0)
            if sync:
                self.fsync(fd)
        temporary.replace(path)
        if sync:
            self.sync_path(path.parent)

    def sync_path(self, path: Path) -> None:
        """Return when the disk has this file, or the names in this folder; it may be gone."""
        try:
            with opened(path, os.O_RDONLY) as fd:
                self.fsync(fd)
        except FileNotFoundError:
            return

    def rename(self, path: Path, to: Path) -> None:
        """Give a file or folder another name, in place of what has it."""
        self.check()
        path.replace(to)

    def remove(self, path: Path) -> None:
        """Delete a file, be it there or not."""
        self.check()
        path.unlink(missing_ok=True)

    def remove_tree(self, path: Path) -> None:
        """Remove a folder and what is in it, be it gone already or not."""
        shutil.rmtree(path, ignore_errors=True)


class DiskFile:
    """A file by folder and name, opened when it is used.

    Invariant: ``fd`` is -1 exactly while the file is closed. ``cuts`` counts how often it was cut.
    """

    __slots__ = ("cuts", "directory", "disk", "fd", "name", "recently_used")

    def __init__(self, disk: Disk, directory: Path, name: str) -> None:
        self.disk = disk
        # Apart, since a path takes six times the memory of a name, and there are many.
        self.directory = directory
        self.name = name
        self.fd = -1
        self.recently_used = False
        self.cuts = 0

    @property
    def path(self) -> Path:
        """Where the file is, or would be."""
        return self.directory / self.name

    @property
    def place(self) -> str:
        """The same as text: what the system is asked with, and made a good deal sooner."""
        return f"{self.directory}/{self.name}"

    def exists(self) -> bool:
        """Whether the file is there."""
        return os.path.exists(self.place)

    def write(self, data: Bytes, position: int) -> None:
        """Write all of *data* at *position*; raises OSError, part of it written perhaps."""
        fd = self.fd
        if fd < 0:
            fd = self._reopen()
        self.recently_used = True
        if self.disk.pwrite(fd, data, position) != len(data):
            write_all(self.disk, fd, data, position)

    def read(self, size: int, position: int) -> bytes:
        """Read up to *size* bytes at *position*; fewer only at the file's end."""
        fd = self.fd
        if fd < 0:
            fd = self._reopen()
        self.recently_used = True
        data = self.disk.pread(fd, size, position)
        if len(data) == size or not data:
            return data
        parts = [data]
        got = len(data)
        while got < size and (data := self.disk.pread(fd, size - got, position + got)):
            parts.append(data)
            got += len(data)
        return b"".join(parts)

    def truncate(self, size: int) -> None:
        """Cut the file to *size* bytes."""
        self.cuts += 1
        self.disk.ftruncate(self.fd if self.fd >= 0 else self._reopen(), size)

    def size(self) -> int:
        """The file's size; 0 if it does not exist."""
        return self.size_if_there() or 0

    def size_if_there(self) -> int | None:
        """The file's size; None if it does not exist."""
        try:
            return os.stat(self.place).st_size
        except FileNotFoundError:
            return None

    def modified_ms(self) -> int:
        """When the file was last written to, by the machine's clock. Raises OSError."""
        return os.stat(self.place).st_mtime_ns // 1_000_000

    def set_modified_ms(self, time_ms: int) -> None:
        """Say when it was last written to. Raises OSError."""
        os.utime(self.place, ns=(time_ms * 1_000_000, time_ms * 1_000_000))

    def close(self) -> None:
        """Give the descriptor back."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
            self.disk.closed(self)

    def rename(self, name: str) -> None:
        """Give the file another name, be it there or not; an open descriptor goes with it."""
        try:
            self.disk.rename(self.path, self.directory / name)
        except FileNotFoundError:
            self.disk.check()
        self.name = name

    def remove(self) -> None:
        """Close and delete the file, be it there or not."""
        self.close()
        self.disk.remove(self.path)

    def _reopen(self) -> int:
        self.fd = self.disk.open(self)
        return self.fd


def write_all(disk: Disk, fd: int, data: Bytes, position: int) -> None:
    """Write until everything is written: a short write tells its reason only when repeated."""
    rest = memoryview(data)
    while rest:
        written = disk.pwrite(fd, rest, position)
        position += written
        rest = rest[written:]


def read_small_file(path: Path) -> bytes:
    """All of a file that is read at once, as thousands are at a start. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        return file.readall()


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """A descriptor for the length of a block."""
    fd = os.open(path, flags | os.O_CLOEXEC, 0o644)
    try:
        yield fd
    finally:
        os.close(fd)


def _log_failure(about: object, error: OSError) -> None:
    logger.error("%s: %s", about, error)
