"""A connection without a task and without an API, for tests of its events."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from broker.network.clients.connection import Connection
from broker.network.clients.in_progress import CloseReason
from broker.network.clients.reader import PIPELINE_BYTES_MAX
from broker.network.serving.driver import Interest
from broker.network.serving.memory_pool import MemoryPool
from broker.network.transports.memory_transport import memory_transport_pair
from protocol.frame_length import begin_frame
from protocol.framing import Scratch
from protocol.output import Output
from tests.broker.network.replaceable_transport import ReplaceableTransport
from tests.broker.quotas.timers import ManualTimer


class FakeRequest:
    """A request in progress that records its end."""

    def __init__(self) -> None:
        self.is_computed = False
        self.abandoned: CloseReason | None = None

    def abandon(self, reason: CloseReason) -> None:
        self.abandoned = reason


class Ends:
    """A connection, its client's transport, and what it calls."""

    def __init__(
        self,
        dispatch: Callable[[Ends], object] | None = None,
        room: int = 1 << 24,
        memory: MemoryPool | None = None,
        idle_ms: int = -1,
    ) -> None:
        self.hand = ManualTimer()
        self.client, transport = memory_transport_pair(room)
        self.transport: Any = ReplaceableTransport(transport)
        self.frames: list[bytes] = []
        self.requests: list[FakeRequest] = []
        self.resumed = 0
        self.drains = 0
        self.closes = 0
        self.turn_is_over = False
        self.defers = False
        self.bugs: list[Exception] = []
        self._behave = dispatch
        self.connection = Connection(
            self.transport,
            self,
            self.dispatch,
            request_bytes_max=2 * PIPELINE_BYTES_MAX,
            scratch=Scratch(),
            timer=self.hand.timer,
            idle_ms=idle_ms,
            memory=memory,
            on_bug=lambda _peer, bug: self.bugs.append(bug),
        )

    def dispatch(self, connection: Connection, frame: memoryview, _arrived_ms: float) -> None:
        """Park the request, unless the test does something else with it."""
        self.frames.append(bytes(frame))
        self.requests.append(FakeRequest())
        connection.begin(self.requests[-1])
        if self._behave is not None:
            self._behave(self)

    def resume(self) -> None:
        """See `Driver`."""
        self.resumed += 1

    def defer_send(self) -> bool:
        """See `Driver`."""
        return self.defers

    def send_deferred(self) -> None:
        """See `Driver`."""

    def drain(self) -> None:
        """See `Driver`."""
        self.drains += 1

    def is_turn_over(self) -> bool:
        """See `Driver`."""
        return self.turn_is_over

    def close(self) -> None:
        """See `Driver`."""
        self.closes += 1

    def receive(self, *frames: bytes) -> Interest:
        """Let the connection receive *frames* in one piece."""
        self.client.send([b"".join(struct.pack(">i", len(each)) + each for each in frames)])
        return self.connection.on_readable()

    def respond(self, size: int | None = 100, on_sent: Callable[[], object] | None = None) -> None:
        """Respond to the request in progress with *size* bytes (None: without a response)."""
        out = None
        if size is not None:
            out = Output()
            begin_frame(out)
            out += bytes(size - len(out))
        self.connection.respond(self.requests[-1], out, on_sent)
