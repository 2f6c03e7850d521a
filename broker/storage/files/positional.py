"""Reads and writes of a file at a position, also on Windows, which has no such system calls.

There the position of the file is set first, under a lock, because worker threads use the files too.
"""

from __future__ import annotations

import os
import sys
from threading import Lock

Bytes = bytes | bytearray | memoryview

if sys.platform == "win32":
    _moved = Lock()

    def pread(fd: int, size: int, position: int) -> bytes:
        """See `os.pread`."""
        with _moved:
            os.lseek(fd, position, os.SEEK_SET)
            return os.read(fd, size)

    def pwrite(fd: int, data: Bytes, position: int) -> int:
        """See `os.pwrite`."""
        with _moved:
            os.lseek(fd, position, os.SEEK_SET)
            return os.write(fd, data)

else:
    pread = os.pread
    pwrite = os.pwrite
