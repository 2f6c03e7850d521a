"""A disk that is full: a write takes two bytes, and then none."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable


def filling_up() -> Callable[[int, memoryview], int]:
    """To be put in the place of `os.write`."""
    write = os.write

    def some(fd: int, data: memoryview) -> int:
        if len(data) > 2:
            return write(fd, data[:2])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    return some
