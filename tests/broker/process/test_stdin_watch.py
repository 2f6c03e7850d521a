"""The end of stdin as an order to stop."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.common.errors import StartupError
from broker.process.stdin_watch import check_lifeline, lifeline_cut

pytestmark = pytest.mark.anyio


async def test_it_waits_for_the_end_and_nothing_else() -> None:
    """What is written is read and ignored."""
    ours, theirs = socket.socketpair()
    ended = trio.Event()

    async def wait() -> None:
        await lifeline_cut(ours.fileno())
        ended.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        theirs.send(b"hello" * 2000)
        await wait_all_tasks_blocked()
        assert not ended.is_set()
        theirs.close()
    ours.close()


async def test_the_end_is_when_the_last_holder_lets_go() -> None:
    """As the kernel does for a process that dies."""
    ours, theirs = os.pipe()
    other = os.dup(theirs)
    check_lifeline(ours)
    os.close(theirs)
    with trio.move_on_after(1) as patience:
        await lifeline_cut(ours)
    assert patience.cancelled_caught
    os.close(other)
    await lifeline_cut(ours)
    os.close(ours)


def test_what_has_no_end_is_refused(tmp_path: Path) -> None:
    """A file, nothing at all: one line."""
    with (tmp_path / "file").open("w") as file:
        for fd in (file.fileno(), 10_000):
            with pytest.raises(StartupError, match="stdin is neither a pipe nor a socket"):
                check_lifeline(fd)
