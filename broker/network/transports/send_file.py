"""Sends a part of a file without reading it into the process, where the system can (sendfile)."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from typing import Final

# What some file systems report.
NOT_SUPPORTED: Final = frozenset({errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP})

# Socket and file by their descriptors, position and size; it returns how many bytes fit into the
# socket. Elsewhere than on Linux the handling of a full socket differs, or there is no such call.
send_file: Callable[[int, int, int, int], int] | None = None

if sys.platform == "linux" and hasattr(os, "sendfile"):
    send_file = os.sendfile
