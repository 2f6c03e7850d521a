"""Writes records as JSON lines to a file; a write error does not affect requests."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from protocol.printable import printable_json

_BINARY: int = getattr(os, "O_BINARY", 0)  # Windows translates line ends without it


class RecordFile:
    """A file that records are appended to; raises `OSError` if it cannot be opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = 0
        self.dropped = 0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _BINARY, 0o644)
        self._size = os.fstat(self._file).st_size
        # An earlier process may have been killed while it wrote a line.
        if self._size and self._last_byte() != b"\n":
            self._append(b"\n")

    def keep(self, record: dict[str, Any]) -> None:
        """Append a record; reports the first error and counts all dropped records."""
        line = printable_json(json.dumps(record, separators=(",", ":"))) + "\n"
        try:
            self._append(line.encode())
            self.written += 1
        except OSError as error:
            if not self.dropped:
                sys.stderr.write(
                    f"antechamber record: {self.path}: {error.strerror}; records are dropped,"
                    " requests are still forwarded\n"
                )
            self.dropped += 1

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _last_byte(self) -> bytes:
        os.lseek(self._file, -1, os.SEEK_END)  # writes append, wherever the position is
        return os.read(self._file, 1)

    def _append(self, data: bytes) -> None:
        """Append all of *data*, or nothing."""
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            with suppress(OSError):  # a device cannot be truncated
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)
