"""The receiving side of a connection: bytes become frames, and each frame has its arrival time.

    RECEIVING --the client sends no more--> ENDED     frames that were received remain
        `---------- close -----------------> CLOSED <--'

The memory of incomplete and waiting frames is reserved in a pool that all connections of the node
share (``queued.max.request.bytes``). A connection that holds a reservation may receive the rest of
its request; without one it receives nothing while the pool is exhausted.
"""

from __future__ import annotations

from collections import deque
from enum import Enum, auto
from typing import Final

from broker.network.clients.kept_buffer import KeptBuffer
from broker.network.serving.memory_pool import MemoryPool
from broker.network.transports.transport import Transport
from protocol.framing import LENGTH_BYTES, Inbox, Scratch
from purgatories.timer.system_timer import SystemTimer

# Frames behind the request in progress are received up to this size, so that a disconnect is
# noticed. Kafka mutes the channel instead, and leaves them in the socket.
PIPELINE_BYTES_MAX: Final = 1 << 20


class ReaderState(Enum):
    """What may be received."""

    RECEIVING = auto()
    ENDED = auto()
    CLOSED = auto()


class Reader:
    """Receives frames of up to ``request_bytes_max`` bytes from *transport*.

    ``inbox`` has the frames that were received; ``kept_bytes`` is the size of the frame of the
    request in progress after `keep_frame`.
    """

    __slots__ = (
        "_arrivals",
        "_kept_buffer",
        "_now_ms",
        "_received_bytes",
        "_reserved_bytes",
        "_taken_bytes",
        "_timer",
        "_transport",
        "inbox",
        "kept_bytes",
        "memory",
        "received_ms",
        "state",
    )

    def __init__(
        self,
        transport: Transport,
        timer: SystemTimer,
        scratch: Scratch,
        request_bytes_max: int,
        memory: MemoryPool | None,
    ) -> None:
        self.state = ReaderState.RECEIVING
        self.inbox = Inbox(request_bytes_max, scratch)
        self.kept_bytes = 0
        self.memory = memory
        self.received_ms = timer.now_ms()  # when bytes arrived last
        self._transport = transport
        self._timer = timer
        self._now_ms = timer.now_ms
        self._kept_buffer: KeptBuffer | None = None
        self._reserved_bytes = 0
        # The position in the stream after each received piece, and when it was received; of the
        # pieces of one incomplete frame only the last.
        self._arrivals: deque[tuple[int, float]] = deque()
        self._received_bytes = 0
        self._taken_bytes = 0

    @property
    def lacks_memory(self) -> bool:
        """Whether nothing may be received until other connections release memory."""
        memory = self.memory
        return memory is not None and memory.is_exhausted and not self._reserved_bytes

    @property
    def is_full(self) -> bool:
        """Whether no more is received until frames are taken."""
        return self.inbox.pending_bytes >= PIPELINE_BYTES_MAX

    @property
    def held_bytes(self) -> int:
        """The memory of received bytes, including those of the request in progress."""
        return self.kept_bytes + self.inbox.buffer_bytes

    def receive(self) -> bool:
        """Receive what has arrived, which may be nothing; False if the client sends no more.

        Raises `Disconnected`.
        """
        inbox = self.inbox
        try:
            count = self._transport.receive_into(inbox.space())
        except BlockingIOError:  # what arrived may be a part of a TLS handshake or record
            self.received_ms = self._now_ms()
            return True
        if not count:
            self.state = ReaderState.ENDED
            return False
        if not inbox.has_frame():
            self._arrivals.clear()  # what is left of a frame ends in this piece or in a later one
        inbox.received(count)
        self.received_ms = now_ms = self._now_ms()
        self._received_bytes += count
        self._arrivals.append((self._received_bytes, now_ms))
        return True

    def next_frame(self) -> tuple[memoryview, float] | None:
        """The next complete frame, valid until `receive`, and its arrival time in milliseconds.

        The arrival time is that of the frame's last byte. Raises `InvalidLength`.
        """
        frame = self.inbox.next_frame()
        if frame is None:
            return None
        self._taken_bytes = taken_bytes = self._taken_bytes + len(frame) + LENGTH_BYTES
        arrivals = self._arrivals
        while arrivals[0][0] < taken_bytes:
            arrivals.popleft()
        return frame, arrivals[0][1]

    def settle(self) -> None:
        """Release the buffer that all connections share, and reserve memory for what remains."""
        if self.inbox.settle() and self._kept_buffer is None:
            self._kept_buffer = KeptBuffer(self._timer, self)
        if self.memory is not None:
            self._reserve()

    def release_buffer(self) -> None:
        """Release the buffer of earlier frames, unless a part of a frame is in it."""
        self._kept_buffer = None
        if not self.inbox.pending_bytes:
            self.inbox.clear()

    def keep_frame(self, size_bytes: int) -> bool:
        """Keep the last frame, of *size_bytes*, until `release_frame`.

        False if it is in the buffer that all connections share, so that it must be copied.
        """
        self.kept_bytes = size_bytes
        return self.inbox.hand_over()

    def release_frame(self) -> None:
        """Release the memory of the frame of `keep_frame`."""
        self.kept_bytes = 0
        self._reserve()

    def close(self) -> None:
        """Drop what was received and release all memory."""
        self.state = ReaderState.CLOSED
        self.inbox.clear()
        if self._kept_buffer is not None:
            self._kept_buffer.cancel()
            self._kept_buffer = None
        self.kept_bytes = 0
        if self.memory is not None:
            self._reserved_bytes = self.memory.exchange(self._reserved_bytes, 0)

    def _reserve(self) -> None:
        if self.memory is not None and self.state is not ReaderState.CLOSED:
            wanted_bytes = self.inbox.awaited_bytes + self.kept_bytes
            self._reserved_bytes = self.memory.exchange(self._reserved_bytes, wanted_bytes)
