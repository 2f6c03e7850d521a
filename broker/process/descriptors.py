"""Divides the file descriptors of the process among its parts.

Logs have the first share, since a data directory without open files cannot be used. They close the
least recently used files, so that a bounded number suffices for any number of partitions. The share
of clients is what is left after the logs, the admin interface and a reserve for files that are open
for a short time (snapshots, checkpoints, syncs) and for connections between nodes.
"""

from __future__ import annotations

import errno
import sys
from typing import NamedTuple

from broker.process.descriptor_limit import descriptors_allowed

LOGS_MAX = 512
ADMIN_MAX = 64
RESERVE_MAX = 64

# The errors of the system if there is no descriptor, or no memory for one.
OVERLOADED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
TOO_MANY_OPEN = frozenset({errno.EMFILE, errno.ENFILE})


class Shares(NamedTuple):
    """The number of descriptors of each part of the process."""

    logs: int
    admin: int
    clients: int


def shares() -> Shares:
    """The shares under the present limit of the process."""
    allowed = descriptors_allowed()
    if allowed is None:
        return Shares(LOGS_MAX, ADMIN_MAX, sys.maxsize)
    logs, admin = min(LOGS_MAX, allowed // 2), min(ADMIN_MAX, allowed // 16)
    reserve = min(RESERVE_MAX, allowed // 4)
    return Shares(logs, admin, allowed - logs - admin - reserve)


class ClientDescriptors:
    """Counts the connections of clients to all nodes of the process."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def take(self) -> bool:
        """Count one more connection; False if no descriptor is left for it."""
        if self._left <= 0:
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        """Count one connection less."""
        self._left += 1
