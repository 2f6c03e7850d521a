"""An exclusive lock on a file, which the system releases when the process ends.

Java's ``FileChannel.tryLock``, which Kafka uses, takes the same kind of lock on each system.
"""

from __future__ import annotations

import errno
import sys

_HELD = (errno.EACCES, errno.EAGAIN)

if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int) -> None:
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(fd: int) -> None:
        fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def try_lock(fd: int) -> bool:
    """Lock the file; False if another process has locked it. Raises OSError."""
    try:
        _lock(fd)
    except OSError as error:
        if error.errno not in _HELD:
            raise
        return False
    return True
