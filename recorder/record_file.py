"""Records as JSON lines in a file; when it cannot be written, requests go on without."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any


class RecordFile:
    """A file that records are added to; raises `OSError` when it cannot be opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = 0
        self.dropped = 0
        self._file = path.open("a", encoding="utf-8", buffering=1)

    def keep(self, record: dict[str, Any]) -> None:
        """Add a record; the first failure is said, all are counted."""
        line = json.dumps(record, separators=(",", ":")) + "\n"
        try:
            self._file.write(line)
            self.written += 1
        except OSError as error:
            if not self.dropped:
                sys.stderr.write(
                    f"antechamber record: {self.path}: {error.strerror}; records are dropped,"
                    " requests go on\n"
                )
            self.dropped += 1

    def close(self) -> None:
        """Close the file; what a full disk kept from being written was counted before."""
        try:
            self._file.close()
        except OSError:
            self.dropped += 1
