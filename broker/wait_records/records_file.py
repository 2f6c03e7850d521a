"""Writes wait records to a file, a line of JSON each, and renames the file when it is large.

A worker thread writes, so that a slow disk delays no request. If a write fails, one line is logged,
the records of that write are dropped and counted, and the file is cut after its last whole line.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import trio

from broker.common.errors import StartupError
from broker.process.file_flags import BINARY
from broker.wait_records.limits import FILE_BYTES_MAX, FILES_MAX
from broker.wait_records.outbox import Lines

log = logging.getLogger("antechamber.records")


class RecordsFile:
    """Appends to *path*; raises `StartupError` if that is not possible.

    A file that would exceed *bytes_max* is renamed to ``path.1``, ``path.1`` to ``path.2``, and so
    on, so that there are at most *files_max* files. *written* returns the line of the file for the
    JSON of a record; it is called in the worker thread. *option* names the file in messages.
    """

    def __init__(
        self,
        path: Path,
        *,
        bytes_max: int = FILE_BYTES_MAX,
        files_max: int = FILES_MAX,
        option: str = "--records",
        written: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self._path = path
        self._option = option
        self._line = written
        self._bytes_max = bytes_max
        self._files_max = files_max
        self._lines: list[bytes] = []
        self._written = 0
        self._dropped = 0
        self._failing = False
        self._closed = False
        self._file = -1
        self._size = 0
        try:
            self._open()
        except OSError as error:
            raise StartupError(
                f"{option}: cannot write {path}: {error.strerror}; "
                "name a regular file in an existing directory that you may write to"
            ) from None

    def add(self, lines: Lines) -> None:
        """See `broker.wait_records.outbox.Sink`."""
        self._lines += lines

    async def flush(self) -> None:
        """Write in a worker thread; a cancellation takes effect after the write."""
        if self._lines:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._write, self._take())

    def close(self) -> None:
        """Write what is left and close the file; a second call has no effect."""
        if self._closed:
            return
        self._closed = True
        if self._lines:
            self._write(self._take())
        if self._file >= 0:
            os.close(self._file)

    def statistics(self) -> dict[str, Any]:
        """See `broker.wait_records.outbox.Sink`."""
        return {
            "sink": "file",
            "path": str(self._path),
            "written": self._written,
            "dropped": self._dropped,
        }

    # -------------------------------------------------- calls that block, and their failures

    def _take(self) -> list[bytes]:
        lines, self._lines = self._lines, []
        return lines

    def _write(self, lines: list[bytes]) -> None:
        data = b"\n".join(map(self._line, lines)) + b"\n"
        try:
            if self._file < 0:
                self._open()
            if self._size and self._size + len(data) > self._bytes_max:
                self._rotate()
            self._append(data)
        except OSError as error:
            self._dropped += len(lines)
            if not self._failing:
                log.warning(
                    "%s: cannot write %s, records are dropped until it succeeds: %s",
                    self._option,
                    self._path,
                    error.strerror,
                )
            self._failing = True
        else:
            self._written += len(lines)
            self._failing = False

    def _append(self, data: bytes) -> None:
        """Append all of *data*, or leave the file as it was and raise OSError."""
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)

    def _rotate(self) -> None:
        os.close(self._file)
        self._file = -1
        for number in range(self._files_max - 1, 0, -1):
            older = self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))
        self._open()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}") if number else self._path

    def _open(self) -> None:
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | BINARY
        self._file = os.open(self._path, flags, 0o644)
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode):  # a device must not be renamed, and a pipe may block
            os.close(self._file)
            self._file = -1
            raise OSError(errno.EINVAL, "Not a regular file")
        self._size = status.st_size
        # A process that was killed while it wrote may have left half a line.
        if self._size and self._last_byte() != b"\n":
            self._append(b"\n")

    def _last_byte(self) -> bytes:
        os.lseek(self._file, -1, os.SEEK_END)  # writes append, wherever the position is
        return os.read(self._file, 1)
