"""Readiness of sockets: the poller of the system, and the one that waits in tasks."""

from __future__ import annotations

import os
import socket
import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from broker.network.polling.poller import Poller
from broker.network.polling.system_poller import system_poller
from broker.network.polling.task_poller import TaskPoller
from broker.network.transports.transport import SocketTransport, Transport

Make = Callable[[trio.Nursery], Poller]

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("make", [system_poller, TaskPoller]),
    pytest.mark.parametrize("anyio_backend", ["trio"]),
]
NOTHING, READABLE, WRITABLE = (False, False), (True, False), (False, True)


class Recording:
    """A transport whose readiness is recorded, and the peer's socket."""

    def __init__(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.peer = socket.create_connection(listener.getsockname())
            connected, _ = listener.accept()
        self.transport: Transport = SocketTransport(connected, send_buffer_bytes=4096)
        self.reported: list[tuple[bool, bool]] = []
        self.failures: list[Exception] = []

    def ready(self, readable: bool, writable: bool) -> None:
        self.reported.append((readable, writable))

    def failed(self, error: Exception) -> None:
        self.failures.append(error)

    def reset(self) -> None:
        """Let the peer disconnect with an error."""
        self.peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.peer.close()


@asynccontextmanager
async def polling(make: Make) -> AsyncIterator[tuple[Poller, Recording]]:
    """A poller, and a connection that it may watch."""
    recording = Recording()
    async with trio.open_nursery() as nursery:
        poller = make(nursery)
        yield poller, recording
        nursery.cancel_scope.cancel()
    poller.close()
    recording.transport.close()
    recording.peer.close()


async def next_report(poller: Poller, recording: Recording) -> tuple[bool, bool]:
    """The report of the next poll that has one."""
    recording.reported.clear()
    with trio.fail_after(60):
        while not recording.reported:
            await poller.wait()
            poller.poll()
    assert len(recording.reported) == 1
    return recording.reported[0]


async def reports_of_a_poll(poller: Poller, recording: Recording) -> list[tuple[bool, bool]]:
    """What the next polls report, when all tasks had time to wait."""
    recording.reported.clear()
    for _ in range(3):
        poller.poll()
        await trio.testing.wait_all_tasks_blocked()
    return list(recording.reported)


async def test_bytes_are_reported_until_they_are_received(make: Make, anyio_backend: str) -> None:
    """Readiness is a level: each poll reports it again."""
    async with polling(make) as (poller, recording):
        poller.watch(recording)
        recording.peer.sendall(b"x")

        assert await next_report(poller, recording) == READABLE
        assert await next_report(poller, recording) == READABLE
        recording.transport.receive_into(memoryview(bytearray(10)))
        await reports_of_a_poll(poller, recording)
        assert await reports_of_a_poll(poller, recording) == []


async def test_room_is_reported_only_while_it_is_awaited(make: Make, anyio_backend: str) -> None:
    """An idle socket has room all the time."""
    async with polling(make) as (poller, recording):
        watch = poller.watch(recording)
        before = await reports_of_a_poll(poller, recording)

        watch.update(reads=True, writes=True)
        report = await next_report(poller, recording)
        watch.update(reads=True, writes=False)

        assert (before, report) == ([], WRITABLE)
        assert await reports_of_a_poll(poller, recording) == []


async def test_nothing_is_reported_of_a_muted_transport(make: Make, anyio_backend: str) -> None:
    """Not even that its peer has disconnected, which is reported when it is watched again."""
    async with polling(make) as (poller, recording):
        watch = poller.watch(recording)
        watch.update(reads=False, writes=False)
        recording.peer.sendall(b"x")
        recording.reset()

        muted = await reports_of_a_poll(poller, recording)
        watch.update(reads=True, writes=False)

        assert muted == []
        readable, _ = await next_report(poller, recording)
        assert readable


async def test_a_disconnect_ends_the_wait_for_room(make: Make, anyio_backend: str) -> None:
    """The next send raises an exception."""
    async with polling(make) as (poller, recording):
        watch = poller.watch(recording)
        while recording.transport.send([bytes(1 << 20)]):
            pass
        watch.update(reads=False, writes=True)

        recording.reset()

        _, writable = await next_report(poller, recording)
        assert writable


async def test_an_ended_watch_reports_nothing(make: Make, anyio_backend: str) -> None:
    """The descriptor may be that of another connection then."""
    async with polling(make) as (poller, recording):
        watch = poller.watch(recording)
        recording.peer.sendall(b"x")
        watch.end()
        recording.transport.close()
        following = Recording()
        poller.watch(following)

        assert await reports_of_a_poll(poller, recording) == []
        following.peer.sendall(b"y")
        assert await next_report(poller, following) == READABLE
        following.transport.close()
        following.peer.close()


async def test_a_wake_ends_one_wait(make: Make, anyio_backend: str) -> None:
    """The present one or the next one; further wakes before a poll have no effect."""
    async with polling(make) as (poller, _):
        poller.wake()
        poller.wake()
        with trio.fail_after(60):
            await poller.wait()
        poller.poll()

        with trio.move_on_after(0.01) as waiting:
            await poller.wait()

        assert waiting.cancelled_caught


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
async def test_a_closed_poller_leaves_no_descriptor(make: Make, anyio_backend: str) -> None:
    """A node that is stopped and started again makes a new one."""
    before = len(os.listdir("/proc/self/fd"))
    async with polling(make) as (poller, recording):
        poller.watch(recording)
        await reports_of_a_poll(poller, recording)

    assert len(os.listdir("/proc/self/fd")) == before
