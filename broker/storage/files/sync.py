"""Forces a file, or the entries of a directory, to the disk.

Windows has no call for directories; Kafka does not flush them there either (``Utils.flushDir``).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

_IS_WINDOWS = sys.platform == "win32"
# Windows flushes only files that are open for writing.
_FLAGS = os.O_RDWR if _IS_WINDOWS else os.O_RDONLY


def sync_path(path: Path, fsync: Callable[[int], object]) -> None:
    """Force *path* to the disk with *fsync*; it need not exist. Raises OSError."""
    if _IS_WINDOWS and path.is_dir():
        return
    try:
        fd = os.open(path, _FLAGS)
    except FileNotFoundError:
        return
    try:
        fsync(fd)
    finally:
        os.close(fd)
