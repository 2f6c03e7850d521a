"""The end of stdin stops the broker."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.common.errors import StartupError
from broker.process import stdin_watch
from broker.process.stdin_watch import check_stdin, wait_for_end_of_stdin
from tests.foreign_system import as_on

pytestmark = pytest.mark.anyio


async def test_input_is_discarded_and_does_not_end_the_wait() -> None:
    """Only the end of stdin does."""
    ours, theirs = socket.socketpair()
    ended = trio.Event()

    async def wait() -> None:
        await wait_for_end_of_stdin(ours.fileno())
        ended.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        theirs.send(b"hello" * 2000)
        await wait_all_tasks_blocked()
        assert not ended.is_set()
        theirs.close()
    ours.close()


async def test_stdin_ends_when_the_last_descriptor_of_its_other_end_is_closed() -> None:
    """The kernel closes the descriptors of a process that ends."""
    ours, theirs = os.pipe()
    other = os.dup(theirs)
    check_stdin(ours)
    os.close(theirs)
    with trio.move_on_after(1) as timeout:
        await wait_for_end_of_stdin(ours)
    assert timeout.cancelled_caught
    os.close(other)
    await wait_for_end_of_stdin(ours)
    os.close(ours)


async def test_windows_reads_in_a_thread() -> None:
    """It can wait for sockets only; the end of the wait does not wait for the thread."""
    windows = as_on("win32", stdin_watch.__name__)
    ours, theirs = os.pipe()
    with trio.move_on_after(0.01) as timeout:
        await windows.wait_for_end_of_stdin(ours)
    assert timeout.cancelled_caught
    os.write(theirs, b"read by the abandoned thread")
    async with trio.open_nursery() as nursery:
        nursery.start_soon(windows.wait_for_end_of_stdin, ours)
        os.write(theirs, b"discarded")
        os.close(theirs)
    os.close(ours)


def test_a_stdin_without_an_end_to_wait_for_is_refused(tmp_path: Path) -> None:
    """A file and a closed descriptor are refused in one line."""
    with (tmp_path / "file").open("w") as file:
        for fd in (file.fileno(), 10_000):
            with pytest.raises(StartupError, match="stdin is neither a pipe nor a socket"):
                check_stdin(fd)
