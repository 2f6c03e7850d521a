"""The end of stdin as an order to stop, for a broker that must not outlive who started it.

A process that dies, however it dies, lets go of its pipes; so whoever starts the broker with a pipe
for its stdin and never writes to it need not live to say when to stop.
"""

from __future__ import annotations

import os
import stat

import trio

from broker.common.errors import StartupError

STDIN = 0
_DRAIN_BYTES = 4096


def check_lifeline(fd: int = STDIN) -> None:
    """Raise `StartupError` unless *fd* is a pipe or a socket, whose end can be waited for."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        mode = 0
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        raise StartupError("--stop-with-stdin: stdin is neither a pipe nor a socket; give it one")


async def lifeline_cut(fd: int = STDIN) -> None:
    """Wait until nobody holds the other end of *fd* any more; what comes from there is ignored."""
    while True:
        await trio.lowlevel.wait_readable(fd)
        try:
            if not os.read(fd, _DRAIN_BYTES):
                return
        except ConnectionError:
            return
