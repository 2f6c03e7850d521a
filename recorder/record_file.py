"""Records as JSON lines in a file; when it cannot be written, requests go on without."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from protocol.printable import printable_json


class RecordFile:
    """A file that records are added to; raises `OSError` when it cannot be opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = 0
        self.dropped = 0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        self._size = os.fstat(self._file).st_size
        # Whoever wrote here before may have been killed in the middle of a line.
        if self._size and os.pread(self._file, 1, self._size - 1) != b"\n":
            self._append(b"\n")

    def keep(self, record: dict[str, Any]) -> None:
        """Add a record; the first failure is said, all are counted."""
        line = printable_json(json.dumps(record, separators=(",", ":"))) + "\n"
        try:
            self._append(line.encode())
            self.written += 1
        except OSError as error:
            if not self.dropped:
                sys.stderr.write(
                    f"antechamber record: {self.path}: {error.strerror}; records are dropped,"
                    " requests go on\n"
                )
            self.dropped += 1

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)

    def _append(self, data: bytes) -> None:
        """All of it, or nothing."""
        left = memoryview(data)
        try:
            while left:
                left = left[os.write(self._file, left) :]
        except OSError:
            with suppress(OSError):  # a device cannot be cut
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(data)
