"""Watches for the end of stdin (``antechamber serve --stop-with-stdin``).

The system closes the pipes of a process that ends, even if it is killed. A program that starts the
broker with a pipe as its stdin and writes nothing to it thus stops the broker whenever it ends.
"""

from __future__ import annotations

import os
import stat
import sys

import trio

from broker.common.errors import StartupError

STDIN = 0
_DISCARD_BYTES = 4096


def check_stdin(fd: int = STDIN) -> None:
    """Raise `StartupError` unless *fd* is a pipe or a socket, which have an end to wait for."""
    try:
        mode = os.fstat(fd).st_mode
    except OSError:
        mode = 0
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        raise StartupError("--stop-with-stdin: stdin is neither a pipe nor a socket; give it one")


async def wait_for_end_of_stdin(fd: int = STDIN) -> None:
    """Wait until the other end of *fd* is closed in all processes; input is discarded."""
    try:
        while await _read(fd):
            pass
    except ConnectionError:
        return


if sys.platform == "win32":

    async def _read(fd: int) -> bytes:
        # Only sockets can be waited for there; the thread that reads ends with the process.
        return await trio.to_thread.run_sync(os.read, fd, _DISCARD_BYTES, abandon_on_cancel=True)

else:

    async def _read(fd: int) -> bytes:
        await trio.lowlevel.wait_readable(fd)
        return os.read(fd, _DISCARD_BYTES)
