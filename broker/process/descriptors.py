"""How many file descriptors the process may have, and which part of it has how many.

Logs come first: a data directory in which no file can be opened is of no use. They close the files
that were not used for longest, so a bounded number is enough for any number of partitions. Clients
get what is left after the logs, the admin interface and a reserve for what the process opens for a
moment: snapshots, checkpoints, syncs and connections between nodes.
"""

from __future__ import annotations

import errno
import resource
import sys
from contextlib import suppress
from typing import NamedTuple

LOGS_MAX = 512
ADMIN_MAX = 64
RESERVE_MAX = 64

# What the system reports when there is none, or no memory for one: not the fault of any file.
OVERLOADED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
TOO_MANY_OPEN = frozenset({errno.EMFILE, errno.ENFILE})


class Shares(NamedTuple):
    """How many descriptors each part of the process may have."""

    logs: int
    admin: int
    clients: int


def shares() -> Shares:
    """The shares in what the process may open now."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed < 0:  # unlimited
        return Shares(LOGS_MAX, ADMIN_MAX, sys.maxsize)
    logs, admin = min(LOGS_MAX, allowed // 2), min(ADMIN_MAX, allowed // 16)
    reserve = min(RESERVE_MAX, allowed // 4)
    return Shares(logs, admin, allowed - logs - admin - reserve)


def raise_limit() -> None:
    """Let the process open as many files as the system lets it, as a JVM does (MaxFDLimit)."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):  # an unlimited one is refused by some systems
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


class ClientDescriptors:
    """Counts the connections of clients to all nodes of the process."""

    def __init__(self, limit: int) -> None:
        self._left = limit

    def take(self) -> bool:
        """Count one more connection; False if there is none left for it."""
        if self._left <= 0:
            return False
        self._left -= 1
        return True

    def give_back(self) -> None:
        """A connection that was counted is closed."""
        self._left += 1
