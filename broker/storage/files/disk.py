"""All reads and writes of logs, and the failure of a data directory.

Each data directory has a `Disk`. After the first failed system call its files are closed and cannot
be opened until a restart (Kafka's offline log directory). Tests use subclasses that run out of
space, write short or fail to sync.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mypy_extensions import mypyc_attr

from broker.process.descriptors import TOO_MANY_OPEN
from broker.process.file_flags import BINARY
from broker.storage.files.open_files import OpenFiles
from broker.storage.files.positional import Bytes, pread, pwrite
from broker.storage.files.sync import sync_path

logger: Final = logging.getLogger(__name__)


@mypyc_attr(allow_interpreted_subclasses=True)
class Disk:
    """The system calls, the open files, and the first failure, if there was one."""

    def __init__(self, open_files: OpenFiles[DiskFile] | None = None) -> None:
        self.failure: OSError | None = None
        # Called once, with the user of the disk that failed.
        self.on_failure: Callable[[object, OSError], None] = _log_failure
        self._open_files = OpenFiles[DiskFile]() if open_files is None else open_files

    def pwrite(self, fd: int, data: Bytes, position: int) -> int:
        """Write at *position*; returns how many bytes. Raises OSError."""
        return pwrite(fd, data, position)

    def pread(self, fd: int, size: int, position: int) -> bytes:
        """Read up to *size* bytes at *position*. Raises OSError."""
        return pread(fd, size, position)

    def ftruncate(self, fd: int, size: int) -> None:
        """Cut the file at *size*. Raises OSError."""
        os.ftruncate(fd, size)

    def fsync(self, fd: int) -> None:
        """Force the file to the disk. Raises OSError."""
        os.fsync(fd)

    def file(self, path: Path) -> DiskFile:
        """The file at *path*, which is made on first use."""
        return DiskFile(self, path.parent, path.name)

    def open(self, file: DiskFile) -> int:
        """Open *file*, closing another one if there are too many. Raises OSError."""
        self.check()
        flags = os.O_RDWR | os.O_CREAT | BINARY
        while True:
            try:
                fd = os.open(file.place, flags, 0o644)
                break
            except OSError as error:
                # The process has too many descriptors: connections use more than their half.
                if error.errno not in TOO_MANY_OPEN or not self._open_files.close_one():
                    raise
        self._open_files.add(file)
        return fd

    def closed(self, file: DiskFile) -> None:
        """*file* has been closed."""
        self._open_files.discard(file)

    def check(self) -> None:
        """Raise OSError if the disk has failed."""
        if self.failure is not None:
            raise OSError(self.failure.errno, self.failure.strerror)

    def fail(self, about: object, error: OSError) -> None:
        """Take the disk offline because of *error* in the use by *about*.

        Too many open files are only logged: the next use may find a descriptor.
        """
        if error.errno in TOO_MANY_OPEN:
            logger.error("%s: %s", about, error)
        elif self.failure is None:
            self.abandon(error)
            self.on_failure(about, error)

    def abandon(self, reason: OSError) -> None:
        """Close every file, and refuse every later use with *reason*."""
        self.failure = reason
        self.close_files()

    def close_files(self) -> None:
        """Close every file; the next use of a file opens it again."""
        for file in self._open_files:
            if file.disk is self:
                file.close()

    def replace(self, path: Path, content: Bytes, *, sync: bool = False) -> None:
        """Write a small file atomically: it has either the new or the old content.

        With *sync* it is forced to the disk. Raises OSError.
        """
        self.check()
        temporary = f"{path}.tmp"
        fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | BINARY, 0o644)
        try:
            write_all(self, fd, content, 0)
            if sync:
                self.fsync(fd)
        finally:
            os.close(fd)
        os.replace(temporary, path)
        if sync:
            self.sync_path(path.parent)

    def sync_path(self, path: Path) -> None:
        """Force a file, or the entries of a directory, to the disk; it need not exist.

        Raises OSError.
        """
        sync_path(path, self.fsync)

    def make_directory(self, path: Path) -> None:
        """Make a directory, and those that it is in. Raises OSError."""
        self.check()
        path.mkdir(parents=True)

    def rename(self, path: Path, to: Path) -> None:
        """Rename a file or directory, replacing a file of that name. Raises OSError."""
        self.check()
        path.replace(to)

    def remove(self, path: Path) -> None:
        """Remove a file, which need not exist. Raises OSError."""
        self.check()
        path.unlink(missing_ok=True)

    def remove_tree(self, path: Path) -> None:
        """Remove a directory with its content, which need not exist."""
        shutil.rmtree(path, ignore_errors=True)


class DiskFile:
    """A file by directory and name, opened on use.

    Invariant: ``fd`` is -1 exactly while the file is closed. ``cuts`` is the number of truncations.
    """

    __slots__ = ("cuts", "directory", "disk", "fd", "name", "recently_used")

    def __init__(self, disk: Disk, directory: Path, name: str) -> None:
        self.disk = disk
        # Separate, since a path takes six times the memory of a name, and there are many files.
        self.directory = directory
        self.name = name
        self.fd = -1
        self.recently_used = False
        self.cuts = 0

    @property
    def path(self) -> Path:
        """The path of the file, which need not exist."""
        return self.directory / self.name

    @property
    def place(self) -> str:
        """The path as text, which is faster to make than a Path."""
        return f"{self.directory}/{self.name}"

    def exists(self) -> bool:
        """Whether the file exists."""
        return os.path.exists(self.place)

    def write(self, data: Bytes, position: int) -> None:
        """Write all of *data* at *position*; raises OSError, and part may have been written."""
        fd = self.fd
        if fd < 0:
            fd = self._reopen()
        self.recently_used = True
        if self.disk.pwrite(fd, data, position) != len(data):
            write_all(self.disk, fd, data, position)

    def read(self, size: int, position: int) -> bytes:
        """Read *size* bytes at *position*, or fewer at the file's end. Raises OSError."""
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

    def descriptor(self) -> int:
        """The descriptor of the file, which is open until another one is opened. Raises OSError."""
        self.recently_used = True
        return self.fd if self.fd >= 0 else self._reopen()

    def make(self) -> None:
        """Make the file, which does not exist, and open it. Raises OSError."""
        self.descriptor()

    def ensure_size(self, size: int) -> None:
        """Make the file or truncate it, unless it has *size* bytes. Raises OSError."""
        on_disk = self.size_if_there()
        if on_disk is None and not size:
            self.make()
        elif on_disk != size:
            self.truncate(size)

    def truncate(self, size: int) -> None:
        """Truncate the file to *size* bytes. Raises OSError."""
        self.cuts += 1
        self.disk.ftruncate(self.descriptor(), size)

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
        """The modification time, in milliseconds of the system clock. Raises OSError."""
        return os.stat(self.place).st_mtime_ns // 1_000_000

    def set_modified_ms(self, time_ms: int) -> None:
        """Set the modification time. Raises OSError."""
        os.utime(self.place, ns=(time_ms * 1_000_000, time_ms * 1_000_000))

    def close(self) -> None:
        """Close the file."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1
            self.disk.closed(self)

    def rename(self, name: str) -> None:
        """Rename the file, which need not exist; the next use opens it again. Raises OSError."""
        self.close()  # Windows renames no open file
        try:
            self.disk.rename(self.path, self.directory / name)
        except FileNotFoundError:
            self.disk.check()
        self.name = name

    def remove(self) -> None:
        """Close and remove the file, which need not exist. Raises OSError."""
        self.close()
        self.disk.remove(self.path)

    def _reopen(self) -> int:
        self.fd = self.disk.open(self)
        return self.fd


def write_all(disk: Disk, fd: int, data: Bytes, position: int) -> None:
    """Write all of *data*; after a short write only the next call raises the reason."""
    rest = memoryview(data)
    while rest:
        written = disk.pwrite(fd, rest, position)
        position += written
        rest = rest[written:]


def read_small_file(path: Path) -> bytes:
    """The content of a file, in few system calls: a start reads thousands. Raises OSError."""
    with open(path, "rb", buffering=0) as file:
        return file.readall()


def _log_failure(about: object, error: OSError) -> None:
    logger.error("%s: %s", about, error)
