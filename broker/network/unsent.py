"""The responses of one connection that are not sent yet, in order.

Deferred records are read from disk in pieces when they are sent. The part of a piece that the
socket does not take is read again later, so that a slow client needs no memory for them.
"""

from __future__ import annotations

from broker.network.transport import Transport
from protocol.output import BUFFERS, Bytes, Output, Splice

PIECE_BYTES = 256 * 1024
# After that many bytes other connections are served, however fast the client reads.
SENT_AT_ONCE_BYTES = 2 * 1024 * 1024


class Unsent:
    """Invariant: ``size_bytes`` is the unsent size of all parts."""

    __slots__ = ("_is_deferred", "_parts", "_started_bytes", "size_bytes")

    def __init__(self) -> None:
        self._parts: list[Splice] = []
        self._started_bytes = 0  # the size of what was sent of the first part
        self._is_deferred = False  # whether any part is deferred
        self.size_bytes = 0

    @property
    def held_bytes(self) -> int:
        """The size of the unsent parts in memory."""
        return sum(len(part) for part in self._parts if isinstance(part, BUFFERS))

    def add(self, out: Output, start: int) -> None:
        """Append an encoded response; its length is written to *out* at *start*."""
        self.size_bytes += out.finish_frame(start)
        parts = out.parts()
        self._parts += parts
        if len(parts) > 1 and not all(isinstance(part, BUFFERS) for part in parts):
            self._is_deferred = True

    def send(self, transport: Transport) -> None:
        """Send until the socket is full, nothing is left, or `SENT_AT_ONCE_BYTES` are sent.

        Raises `Disconnected`, and `SpliceLost` if records can no longer be read.
        """
        left = SENT_AT_ONCE_BYTES
        while self._parts and left > 0:
            ready: list[Bytes] = self._parts  # type: ignore[assignment]  # if none is deferred
            if self._is_deferred or self._started_bytes:
                ready = self._ready()
            sent = transport.send(ready)
            self.size_bytes -= sent
            if self.size_bytes == 0:
                self._parts, self._started_bytes, self._is_deferred = [], 0, False
                return
            if sent == 0:
                return
            is_full = self._is_deferred and sent < sum(map(len, ready))
            self._drop(sent)
            if is_full:  # so no more records are read now
                return
            left -= sent

    def clear(self) -> None:
        """Drop everything."""
        self._parts = []
        self._started_bytes = self.size_bytes = 0
        self._is_deferred = False

    def _ready(self) -> list[Bytes]:
        """The next bytes to send: all parts, or up to one piece if any is deferred."""
        ready, size, started = list[Bytes](), 0, self._started_bytes
        for part in self._parts:
            if isinstance(part, BUFFERS):
                ready.append(memoryview(part)[started:] if started else part)
                size += len(part) - started
            else:
                wanted = min(len(part) - started, PIECE_BYTES)
                ready.append(part.read(started, wanted))
                size += wanted
            if size >= PIECE_BYTES and self._is_deferred:
                break
            started = 0
        return ready

    def _drop(self, sent: int) -> None:
        """Remove the next *sent* bytes."""
        sent += self._started_bytes
        done = 0
        for part in self._parts:
            if sent < len(part):
                break
            sent -= len(part)
            done += 1
        del self._parts[:done]
        self._started_bytes = sent
