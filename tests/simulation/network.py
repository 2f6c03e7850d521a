"""A network in memory with latency, stalls and lost connections.

    send --[stalled]--> in transit for `latency_ms` --> incoming of the other end
                            |
                           cut: bytes in transit or not yet read are lost, and both ends are
                           disconnected immediately

Bytes stay in order, and the end of a stream follows them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any

import trio

from broker.network.transports.transport import Awaits, Disconnected, ReadinessListener
from broker.what_if.memory_network import MemoryNetwork
from tests.simulation.violation import Violation

# A run needs about a thousand; more is a loop of requests in which no time passes.
SENDS_MAX = 10_000


class DelayQueue:
    """Runs actions later, in the order of their time."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()
        self._sleep = trio.CancelScope()

    def after(self, milliseconds: float, action: Callable[[], None]) -> None:
        """Run *action* after that time, or immediately if it is 0."""
        if milliseconds <= 0:
            action()
            return
        at = trio.current_time() + milliseconds / 1000
        heappush(self._due, (at, next(self._numbers), action))
        self._sleep.deadline = self._due[0][0]

    async def run(self) -> None:
        """Run actions until cancelled."""
        while True:
            at = self._due[0][0] if self._due else float("inf")
            with trio.CancelScope(deadline=at) as self._sleep:
                await trio.sleep_forever()
            while self._due and self._due[0][0] <= trio.current_time():
                heappop(self._due)[2]()


class SlowTransport:
    """One end of a connection with latency."""

    peer = "simulation"
    awaits, is_opening, send_file = Awaits.BYTES, False, None

    def __init__(self, network: SlowNetwork, latency_ms: float) -> None:
        self.network = network
        self.latency_ms = latency_ms
        self.incoming = bytearray()
        self.other: SlowTransport
        self.closed = False
        self.is_cut = False
        self.breaks_at_next_send = False
        # For the end of a node that sends requests to another one: the other's port, and the API.
        self.port = 0
        self.api_key = -1
        self._at_end = False
        self._stalled: list[Callable[[], None]] | None = None
        self._changed = trio.Event()

    def fileno(self) -> int:
        """Return -1: it has no descriptor."""
        return -1

    def receive_into(self, buffer: memoryview) -> int:
        """Read what has arrived."""
        if self.closed:
            raise Disconnected("closed on this side")
        if self.is_cut:
            raise Disconnected("cut")
        if not self.incoming:
            if self._at_end:
                return 0
            raise BlockingIOError
        size = min(len(buffer), len(self.incoming))
        buffer[:size] = self.incoming[:size]
        del self.incoming[:size]
        return size

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """Send everything; the buffer is never full."""
        if self.closed or self.is_cut or self._at_end:
            raise Disconnected("closed")
        data = b"".join(parts)
        self.network.count_send()
        if self.port:
            self.api_key = int.from_bytes(data[4:6])
            self.network.apply_request_fault(self)
        if self.breaks_at_next_send:
            self.cut()
            return len(data)
        self._later(lambda: self.other.arrive(data))
        return len(data)

    def arrive(self, data: bytes) -> None:
        """The other end's bytes have arrived."""
        if not (self.is_cut or self.closed):
            self.incoming += data
            self.notify()

    def watch(self, _user: ReadinessListener) -> None:
        """See `Transport.watch`: tasks wait for it."""

    def end(self) -> None:
        """The other end has closed, and all of its bytes have arrived."""
        self._at_end = True
        self.notify()

    async def wait_readable(self) -> None:
        """Wait for bytes or the end."""
        await trio.lowlevel.checkpoint()
        while not (self.incoming or self._at_end or self.closed or self.is_cut):
            await self._changed.wait()
        if self.closed:
            raise Disconnected("closed on this side")

    async def wait_writable(self) -> None:
        """Return: the buffer is never full."""
        await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """Close this end; the other one reads the remaining bytes, then the end."""
        if not self.closed:
            self.closed = True
            self.notify()
            self._later(self.other.end)

    def stall(self) -> None:
        """Delay all bytes that this end sends from now on."""
        if self._stalled is None:
            self._stalled = []

    def unstall(self) -> None:
        """Send the delayed bytes, and delay no more."""
        held, self._stalled = self._stalled or [], None
        for action in held:
            self._later(action)

    def _later(self, action: Callable[[], None]) -> None:
        if self._stalled is None:
            self.network.delays.after(self.latency_ms, action)
        else:
            self._stalled.append(action)

    def cut(self) -> None:
        """Lose the connection and the bytes in transit."""
        for side in (self, self.other):
            side.is_cut = True
            side.incoming.clear()
            side.notify()

    def notify(self) -> None:
        """Wake what waits for this end."""
        self._changed.set()
        self._changed = trio.Event()


RequestFault = Callable[[SlowTransport], object]


class SlowNetwork(MemoryNetwork):
    """Every connection has its own latency, drawn from the seed."""

    def __init__(self, seed: int, latency_max_ms: float, sends_max: int = SENDS_MAX) -> None:
        super().__init__()
        self._sends_max = sends_max
        self.delays = DelayQueue()
        self._random = Random(f"network {seed}")
        self._latency_max_ms = latency_max_ms
        self._links: list[tuple[int, SlowTransport]] = []
        self._of_nodes: list[tuple[int, SlowTransport]] = []
        # By destination and API: the faults of the next requests.
        self._request_faults: dict[tuple[int, int], deque[RequestFault]] = {}
        self._sends = 0

    def pair(self, port: int, room: int) -> tuple[Any, Any]:
        """Both ends of a new connection to that port."""
        latency_ms = round(self._random.uniform(0, self._latency_max_ms), 1)
        one, other = SlowTransport(self, latency_ms), SlowTransport(self, latency_ms)
        one.other, other.other = other, one
        self._links.append((port, one))
        return one, other

    async def connect(self, host: str, port: int) -> Any:
        """A connection from another node."""
        transport: Any = await super().connect(host, port)
        transport.port = port
        self._of_nodes.append((port, transport))
        return transport

    def stall(self, port: int) -> None:
        """Delay what other nodes send to that port on their present connections."""
        for at, link in self._of_nodes:
            if at == port:
                link.stall()

    def unstall(self, port: int) -> None:
        """Deliver the delayed bytes, even of senders that have stopped."""
        for at, link in self._of_nodes:
            if at == port:
                link.unstall()

    def fail_next_request(self, port: int, api_key: int, fault: RequestFault) -> None:
        """Apply *fault* to the connection of a node when it sends the next such request."""
        self._request_faults.setdefault((port, api_key), deque()).append(fault)

    def apply_request_fault(self, link: SlowTransport) -> None:
        """A node sends a request: apply the next fault of its API and destination, if any."""
        faults = self._request_faults.get((link.port, link.api_key))
        if faults:
            faults.popleft()(link)

    def release_requests(self, port: int, api_key: int) -> None:
        """Deliver the delayed requests of an API to that port, and the responses to them."""
        self._request_faults.pop((port, api_key), None)
        for at, link in self._of_nodes:
            if at == port and link.api_key == api_key:
                link.unstall()
                link.other.unstall()

    def heal(self, port: int) -> None:
        """Deliver the delayed bytes, and break no more connections."""
        self._request_faults.clear()
        for at, link in self._of_nodes:
            if at == port:
                for side in (link, link.other):
                    side.breaks_at_next_send = False
                    side.unstall()

    def count_send(self) -> None:
        """Notice when the nodes talk and talk and time does not pass."""
        self._sends += 1
        if self._sends > self._sends_max:
            raise Violation(f"more than {self._sends_max} messages: a loop of requests")

    def lose(self, port: int, chance: float) -> int:
        """Cut connections to that port; returns how many."""
        self._links = [link for link in self._links if not (link[1].closed or link[1].other.closed)]
        doomed = [link for at, link in self._links if at == port and self._random.random() < chance]
        for link in doomed:
            link.cut()
        return len(doomed)
