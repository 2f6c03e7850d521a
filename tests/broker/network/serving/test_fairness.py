"""In which order one task serves the requests of many connections; time is counted, not measured.

The poller of these tests sees the bytes of transports in memory at once, as epoll sees those of
sockets.
"""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import groupby

import pytest
import trio
import trio.testing

from broker.network.clients.connection import Connection
from broker.network.polling.poller import Watched
from broker.network.serving.driver import Driver
from broker.network.serving.node_channels import NodeChannels
from broker.network.serving.serving_task import ServingTask
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.network.transports.transport import Watch
from broker.steps.limits import SERVING_STEP_MS, SERVING_TURN_MAX_MS, SERVING_TURN_MS
from protocol.frame_length import begin_frame
from protocol.framing import Scratch
from protocol.output import Output
from purgatories.timer.system_timer import SystemTimer

pytestmark = pytest.mark.anyio

FRAME = struct.pack(">ih", 2, 0)
# With requests of this duration, a turn ends after the fourth.
QUARTER_MS = 0.3 * SERVING_TURN_MS


class LevelPoller:
    """A `Poller` that looks at the bytes that have arrived."""

    def __init__(self) -> None:
        self.polls = 0
        self._watched: list[Watched] = []
        self._woken = trio.Event()

    def watch(self, watched: Watched) -> Watch:
        """See `Poller.watch`."""
        self._watched.append(watched)
        return LevelWatch()

    async def wait(self) -> None:
        """See `Poller.wait`."""
        await self._woken.wait()
        self._woken = trio.Event()

    async def yield_to_others(self) -> None:
        """See `Poller.yield_to_others`."""
        await trio.lowlevel.checkpoint()

    def wake(self) -> None:
        """See `Poller.wake`."""
        self._woken.set()

    def poll(self) -> None:
        """See `Poller.poll`."""
        self.polls += 1
        for each in self._watched:
            assert isinstance(each.transport, MemoryTransport)
            if each.transport.incoming:
                each.ready(readable=True, writable=False)

    def close(self) -> None:
        """See `Poller.close`."""


class LevelWatch:
    """A `Watch` that is never muted."""

    def update(self, reads: bool, writes: bool) -> None:
        """See `Watch.update`."""

    def end(self) -> None:
        """See `Watch.end`."""


class Serving:
    """A task, its clients by number, and the numbers of those whose requests were served.

    Each request takes ``request_ms`` and has a response of one `FRAME`.
    """

    def __init__(self, request_ms: float) -> None:
        self.now_ms = 0.0
        self.clients: list[MemoryTransport] = []
        self.served: list[int] = []
        self.on_request: Callable[[int], object] = lambda _: None
        self.poller = LevelPoller()
        self.task = ServingTask(lambda: self.now_ms, lambda _: self.poller)
        self.channels = NodeChannels(self.task)
        self._request_ms = request_ms

    def open(self) -> MemoryTransport:
        """A new connection; returns the transport of the broker."""
        number = len(self.clients)
        client, transport = memory_transport_pair()
        self.clients.append(client)

        def dispatch(connection: Connection, _frame: memoryview, _arrived_ms: float) -> None:
            self.now_ms += self._request_ms
            self.served.append(number)
            self.on_request(number)
            response = Output()
            begin_frame(response)
            response += FRAME[4:]
            connection.send(response)

        def connect(driver: Driver) -> Connection:
            return Connection(
                transport,
                driver,
                dispatch,
                request_bytes_max=100,
                scratch=Scratch(),
                timer=SystemTimer("test", now_ms=lambda: 0.0),
                idle_ms=-1,
                memory=None,
                on_bug=lambda _peer, bug: pytest.fail(repr(bug)),
            )

        self.channels.open(transport, connect, lambda _: None)
        return transport

    def send(self, number: int, count: int = 1) -> None:
        """Send that many requests from a client."""
        self.clients[number].send([FRAME * count])
        self.poller.wake()

    @property
    def turns(self) -> list[tuple[int, int]]:
        """The client of each turn, and its requests in it."""
        return [(number, len(list(group))) for number, group in groupby(self.served)]


@asynccontextmanager
async def serving(request_ms: float, clients: int) -> AsyncIterator[Serving]:
    """A task that runs, with that many connections."""
    parts = Serving(request_ms)
    for _ in range(clients):
        parts.open()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(parts.task.run)
        await trio.testing.wait_all_tasks_blocked()
        yield parts
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize(
    ("request_ms", "in_turn"), [(0.0, 40), (QUARTER_MS, 4), (10 * SERVING_TURN_MS, 1)]
)
async def test_connections_with_pipelined_requests_alternate(
    request_ms: float, in_turn: int
) -> None:
    """Each is served for one turn, and then the others that are ready."""
    async with serving(request_ms, 3) as parts:
        for number in range(3):
            parts.send(number, 40)
        await trio.testing.wait_all_tasks_blocked()

    rounds = 40 // in_turn
    assert parts.turns == [(number, in_turn) for _ in range(rounds) for number in range(3)]


async def test_a_request_waits_for_the_turn_of_a_flood_only() -> None:
    """Those that arrive in the turn are served before the flood has its next one."""
    async with serving(QUARTER_MS, 4) as parts:

        def arrive(number: int) -> None:
            if number == 0 and len(parts.served) in (1, 10):
                for other in (1, 2, 3):
                    parts.send(other)

        parts.on_request = arrive
        parts.send(0, 20)
        await trio.testing.wait_all_tasks_blocked()

    others = [(1, 1), (2, 1), (3, 1)]
    assert parts.turns == [(0, 4), *others, (0, 4), *others, (0, 12)]


async def test_a_turn_continues_while_no_other_connection_is_ready() -> None:
    """Up to its maximum; the responses are sent together at its end."""
    responses_at_request: list[int] = []
    async with serving(QUARTER_MS, 2) as parts:
        parts.on_request = lambda _: responses_at_request.append(
            len(parts.clients[0].incoming) // len(FRAME)
        )
        parts.send(0, 40)
        await trio.testing.wait_all_tasks_blocked()

    in_turn = 16
    assert (in_turn - 4) * QUARTER_MS < SERVING_TURN_MAX_MS <= in_turn * QUARTER_MS
    assert [len(list(turn)) for _, turn in groupby(responses_at_request)] == [in_turn, in_turn, 8]


async def test_a_continued_turn_ends_when_another_connection_is_ready() -> None:
    """The other one is served at the next time at which a turn would end."""
    async with serving(QUARTER_MS, 2) as parts:

        def arrive(number: int) -> None:
            if number == 0 and len(parts.served) == 6:
                parts.send(1)

        parts.on_request = arrive
        parts.send(0, 40)
        await trio.testing.wait_all_tasks_blocked()

    assert parts.turns == [(0, 8), (1, 1), (0, 32)]


async def test_a_flood_delays_other_connections_by_two_turns_at_most() -> None:
    """However long it lasts. It has two in a row if it becomes ready again before the others."""
    async with serving(QUARTER_MS, 2) as parts:

        def refill(number: int) -> None:
            if len(parts.served) < 400:
                parts.send(number, 1 if number else 2)

        parts.on_request = refill
        parts.send(0, 20)
        parts.send(1)
        await trio.testing.wait_all_tasks_blocked()

    of_flood = [count for number, count in parts.turns if number == 0]
    assert max(of_flood[:40]) <= 2 * 4
    assert parts.served[:400].count(1) >= 400 // 9


async def test_other_tasks_run_after_each_step() -> None:
    """A step serves requests for its time, however many connections are ready."""
    served_at: list[int] = []
    per_step = 5
    async with serving(1.1 * SERVING_STEP_MS / per_step, 50) as parts:
        for number in range(50):
            parts.send(number)
        while len(parts.served) < 50:
            await trio.lowlevel.checkpoint()
            served_at.append(len(parts.served))

    steps = [after - before for before, after in zip([0, *served_at], served_at, strict=False)]
    assert max(steps) <= 2 * per_step  # one step before and one after the checkpoint
    assert parts.served == list(range(50))


async def test_a_step_makes_one_step_of_a_handshake() -> None:
    """A burst of handshakes does not delay the requests of open connections."""
    async with serving(SERVING_TURN_MS, 10) as parts:
        for each in parts.clients[:9]:
            each.other.is_opening = True
        for number in range(10):
            parts.send(number)
        await trio.testing.wait_all_tasks_blocked()

    assert parts.served == [9, *range(9)]


async def test_the_poller_is_called_once_for_each_round() -> None:
    """It reports ready connections again until they are served, which would take a time each."""
    async with serving(1.1 * SERVING_STEP_MS / 5, 50) as parts:
        before = parts.poller.polls
        for number in range(50):
            parts.send(number)
        await trio.testing.wait_all_tasks_blocked()

    assert len(parts.served) == 50
    assert parts.poller.polls - before == 1
