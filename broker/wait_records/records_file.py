"""Wait records as lines of JSON in a file, which is renamed when it is large and bounded in all.

Written by a worker thread, so that a slow disk holds nobody up. A disk that fails is told of in one
log line; what it does not take is dropped and counted, and the file never ends in half a record.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
from pathlib import Path
from typing import Any

import trio

from broker.common.errors import StartupError
from broker.wait_records.limits import FILE_BYTES_MAX, FILES_MAX
from broker.wait_records.outbox import Lines

log = logging.getLogger("antechamber.records")


class RecordsFile:
    """Appends to *path*; raises `StartupError` if that cannot be.

    From ``bytes_max`` on it is renamed to ``path.1``, and so on up to ``files_max`` files in all.
    """

    def __init__(
        self, path: Path, *, bytes_max: int = FILE_BYTES_MAX, files_max: int = FILES_MAX
    ) -> None:
        self._path = path
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
                f"--records: cannot write {path}: {error.strerror}; "
                "give a file of your own, in a folder that is there"
            ) from None

    def add(self, lines: Lines) -> None:
        """See `broker.wait_records.outbox.Sink`; so with the others."""
        self._lines += lines

    async def flush(self) -> None:
        """Write, in a worker thread; a stop of the broker waits for that."""
        if self._lines:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(self._write, self._take())

    def close(self) -> None:
        """Write what is left, and close the file."""
        if self._closed:
            return
        self._closed = True
        if self._lines:
            self._write(self._take())
        if self._file >= 0:
            os.close(self._file)

    def statistics(self) -> dict[str, Any]:
        """What has been done."""
        return {
            "sink": "file",
            "path": str(self._path),
            "written": self._written,
            "dropped": self._dropped,
        }

    # ---------------------------------------------------------- what may block, and what fails

    def _take(self) -> list[bytes]:
        lines, self._lines = self._lines, []
        return lines

    def _write(self, lines: list[bytes]) -> None:
        data = b"\n".join(lines) + b"\n"
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
                    "--records: %s cannot be written, records are dropped until it can: %s",
                    self._path,
                    error.strerror,
                )
            self._failing = True
        else:
            self._written += len(lines)
            self._failing = False

    def _append(self, data: bytes) -> None:
        """All of it, or nothing."""
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
        flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC
        self._file = os.open(self._path, flags, 0o644)
        status = os.fstat(self._file)
        if not stat.S_ISREG(status.st_mode):  # it cannot be renamed, and a pipe may never be read
            os.close(self._file)
            self._file = -1
            raise OSError(errno.EINVAL, "Not a regular file")
        self._size = status.st_size
        # Whoever wrote here before may have been killed in the middle of a line.
        if self._size and os.pread(self._file, 1, self._size - 1) != b"\n":
            self._append(b"\n")
