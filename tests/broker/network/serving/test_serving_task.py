"""The task that serves all connections."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
import trio.testing

from broker.network.clients.connection import Connection
from broker.network.clients.in_progress import CloseReason
from broker.network.serving.driver import Driver
from broker.network.serving.memory_pool import MemoryPool
from broker.network.serving.node_channels import NodeChannels
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.steps.limits import SENT_TOGETHER_MAX, SENT_TOGETHER_MIN
from protocol.frame_length import begin_frame
from protocol.framing import Scratch
from protocol.output import Output
from purgatories.timer.system_timer import SystemTimer
from tests.broker.network.replaceable_transport import ReplaceableTransport

pytestmark = pytest.mark.anyio

Wrap = Callable[[MemoryTransport], Any]


def _unchanged(transport: MemoryTransport) -> MemoryTransport:
    return transport


class Parked:
    """A request that waits until the test responds to it."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self.is_computed = False
        self.abandoned: CloseReason | None = None

    def respond(self, size: int = 100) -> None:
        """Respond with *size* bytes."""
        out = Output()
        begin_frame(out)
        out += bytes(size - len(out))
        self.connection.respond(self, out)

    def abandon(self, reason: CloseReason) -> None:
        self.abandoned = reason


class Running:
    """A task with its connection, the client's transport, and the requests in order."""

    def __init__(
        self, nursery: trio.Nursery, room: int, memory: MemoryPool | None, wrap: Wrap
    ) -> None:
        self.room, self.memory, self._wrap = room, memory, wrap
        self.requests: list[Parked] = []
        self.bugs: list[Exception] = []
        self.ended: list[Connection] = []
        self.task = ServingTask(lambda: 0.0)
        self.channels = NodeChannels(self.task, memory)
        self.client: MemoryTransport
        self.connection = self.open()
        nursery.start_soon(self.task.run)

    def open(self) -> Connection:
        """Open a connection; ``client`` is its client."""
        self.client, inner = memory_transport_pair(self.room)
        self.transport = transport = self._wrap(inner)

        def connect(driver: Driver) -> Connection:
            return Connection(
                transport,
                driver,
                self.dispatch,
                request_bytes_max=1000,
                scratch=Scratch(),
                timer=SystemTimer("test", now_ms=lambda: 0.0),
                idle_ms=-1,
                memory=self.memory,
                on_bug=lambda _peer, bug: self.bugs.append(bug),
            )

        return self.channels.open(transport, connect, self.ended.append)

    def dispatch(self, connection: Connection, _frame: memoryview, _arrived_ms: float) -> None:
        """Park the request."""
        self.requests.append(Parked(connection))
        connection.begin(self.requests[-1])

    async def send(self, count: int = 1) -> None:
        """Send that many requests and wait until the broker waits."""
        self.client.send([struct.pack(">ih", 2, 0) * count])
        await trio.testing.wait_all_tasks_blocked()


@asynccontextmanager
async def running(
    room: int = 1 << 20, memory: MemoryPool | None = None, wrap: Wrap = _unchanged
) -> AsyncIterator[Running]:
    """A task that runs, and is cancelled in the end."""
    async with trio.open_nursery() as nursery:
        yield Running(nursery, room, memory, wrap)
        nursery.cancel_scope.cancel()


async def test_a_response_lets_the_task_dispatch_the_next_frame() -> None:
    """The connection waits for that and for bytes at the same time."""
    async with running() as parts:
        await parts.send(2)
        assert len(parts.requests) == 1

        parts.requests[0].respond()
        await trio.testing.wait_all_tasks_blocked()

        assert len(parts.requests) == 2


async def test_what_a_request_completes_is_sent_before_its_own_response() -> None:
    """The first response to another connection at once, the others when it has been dispatched."""
    async with running(wrap=ReplaceableTransport) as parts:
        await parts.send()
        first = parts.client
        parts.open()
        await parts.send()
        second, sent = parts.client, list[tuple[int, int]]()

        def complete(connection: Connection, _frame: memoryview, _arrived_ms: float) -> None:
            for each in parts.requests:
                each.respond()
            sent.append((len(first.incoming), len(second.incoming)))
            own = Parked(connection)
            connection.begin(own)
            own.respond()

        parts.open().dispatch = complete
        send = parts.transport.send

        def record(pieces: Sequence[Any]) -> int:
            sent.append((len(first.incoming), len(second.incoming)))
            return int(send(pieces))

        parts.transport.send = record
        await parts.send()

        assert sent == [(100, 0), (100, 100)]
        assert len(parts.client.incoming) == 100


async def test_of_many_responses_as_many_are_sent_together_as_before() -> None:
    """A client does not wait for thousands of others, and the first ones not for long."""
    async with running() as parts:
        clients = [parts.client]
        await parts.send()
        for _ in range(3 * SENT_TOGETHER_MAX):
            parts.open()
            clients.append(parts.client)
            await parts.send()
        received: list[int] = []

        def complete(_connection: Connection, _frame: memoryview, _arrived_ms: float) -> None:
            for each in parts.requests:
                each.respond()
                received.append(sum(bool(each.incoming) for each in clients))

        parts.open().dispatch = complete
        await parts.send()

        assert SENT_TOGETHER_MIN == 8
        expected = (1, 9, 18, 36, 72, 144, 288, 288 + SENT_TOGETHER_MAX)
        assert sorted(set(received)) == [each for each in expected if each <= len(clients)]
        assert all(len(each.incoming) == 100 for each in clients)


async def test_a_full_socket_is_drained() -> None:
    """The next request begins after that."""
    async with running(room=60) as parts:
        await parts.send(2)
        parts.requests[0].respond(100)
        await trio.testing.wait_all_tasks_blocked()
        before = len(parts.requests)

        received = 0
        while received < 100:
            received += len(parts.client.incoming)
            parts.client.incoming.clear()
            parts.client.other.report(readable=True, writable=True)
            await trio.testing.wait_all_tasks_blocked()

        assert (before, len(parts.requests)) == (1, 2)


async def test_a_disconnect_ends_the_connection() -> None:
    """The request in progress is abandoned, and the end is reported once."""
    async with running() as parts:
        await parts.send()

        parts.client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert parts.requests[0].abandoned is CloseReason.DISCONNECT
        assert parts.ended == [parts.connection]


async def test_a_cancelled_task_closes_its_connections() -> None:
    """A node that stops cancels its tasks; what it accepts meanwhile is closed at once."""
    async with running() as parts:
        await parts.send()

    assert parts.requests[0].abandoned is CloseReason.SHUTDOWN
    assert parts.ended == [parts.connection]
    late = parts.open()
    assert late.is_closed
    assert parts.ended == [parts.connection, late]


async def test_a_connection_waits_while_the_memory_pool_is_exhausted() -> None:
    """It receives when another connection releases memory."""
    memory = MemoryPool(100)
    taken = memory.exchange(0, 100)
    async with running(memory=memory) as parts:
        await parts.send()
        before = len(parts.requests)

        memory.exchange(taken, 0)
        await trio.testing.wait_all_tasks_blocked()

        assert (before, len(parts.requests)) == (0, 1)


async def test_a_connection_that_waits_for_memory_can_be_closed() -> None:
    """The wait is over when the connection is closed."""
    memory = MemoryPool(100)
    memory.exchange(0, 100)
    async with running(memory=memory) as parts:
        await parts.send()

        parts.connection.close()
        await trio.testing.wait_all_tasks_blocked()

        assert parts.requests == []
        assert parts.connection.is_closed


async def test_an_unexpected_exception_of_a_wait_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The connection is closed."""

    async def fail() -> None:
        await trio.lowlevel.checkpoint()
        raise ZeroDivisionError

    async with running(room=60, wrap=ReplaceableTransport) as parts:
        monkeypatch.setattr(parts.transport, "wait_writable", fail)
        await parts.send()
        parts.requests[0].respond(100)
        await trio.testing.wait_all_tasks_blocked()

        assert [type(bug) for bug in parts.bugs] == [ZeroDivisionError]
        assert parts.connection.is_closed
