"""The sending side of a connection: responses in order, as much at once as the socket takes.

    IDLE --flush, the socket is full--> DRAINING --all is sent--> IDLE
      `------------------ close -----------`--------------------> CLOSED

While it is DRAINING, `flush` is to be called when the transport is writable.

The system sends deferred records from their file, without the process reading them, where transport
and system support that (Kafka's ``FileRecords.writeTo``). Otherwise they are read from disk in
pieces when they are sent. The part of a piece that the socket does not take is read again later, so
that a slow client needs no memory for them.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from broker.network.transports.transport import Transport
from protocol.frame_length import finish_frame
from protocol.output import BUFFERS, Bytes, Output, Splice

PIECE_BYTES: Final = 256 * 1024
# After that many bytes other connections are served, however fast the client reads.
SENT_AT_ONCE_BYTES: Final = 2 * 1024 * 1024

OnSent = Callable[[], object]


class WriterState(Enum):
    """Whether responses wait for room in the socket."""

    IDLE = auto()
    DRAINING = auto()
    CLOSED = auto()


_IDLE: Final = WriterState.IDLE
_CLOSED: Final = WriterState.CLOSED


class Writer:
    """Sends the responses that are added to *transport*.

    Invariant: ``unsent_bytes`` is the size of what has been added and is not sent yet.
    """

    __slots__ = (
        "_is_deferred",
        "_on_sent",
        "_parts",
        "_started_bytes",
        "_transport",
        "state",
        "unsent_bytes",
    )

    def __init__(self, transport: Transport) -> None:
        self.state = WriterState.IDLE
        self.unsent_bytes = 0
        self._transport = transport
        self._parts: list[Splice] = []
        self._started_bytes = 0  # the size of what was sent of the first part
        self._is_deferred = False  # whether any part is deferred
        self._on_sent: list[OnSent] = []

    @property
    def held_bytes(self) -> int:
        """The size of the unsent parts in memory."""
        return sum(len(part) for part in self._parts if isinstance(part, BUFFERS))

    def add(self, out: Output) -> None:
        """Queue an encoded response; its length is written at the start of *out*."""
        self.unsent_bytes += finish_frame(out, 0)
        if not out.splices:
            self._parts.append(out)
            return
        parts = out.parts()
        self._parts += parts
        if not all(isinstance(part, BUFFERS) for part in parts):
            self._is_deferred = True

    def add_bytes(self, piece: bytes) -> None:
        """Queue a piece of an encoded response, which has its length already."""
        self.unsent_bytes += len(piece)
        self._parts.append(piece)

    def when_sent(self, on_sent: OnSent) -> None:
        """Call *on_sent* when all that is unsent now has been sent, or is dropped."""
        self._on_sent.append(on_sent)

    def flush(self) -> bool:
        """Send until the socket is full, nothing is left, or `SENT_AT_ONCE_BYTES` are sent.

        Returns whether the rest waits for room (DRAINING). Raises `Disconnected`, and `SpliceLost`
        if records can no longer be read.
        """
        assert self.state is not _CLOSED
        left = SENT_AT_ONCE_BYTES
        while self.unsent_bytes and left > 0:
            sent, is_full = self._send_next(left)
            self.unsent_bytes -= sent
            if not self.unsent_bytes:
                self._parts, self._started_bytes, self._is_deferred = [], 0, False
                break
            self._drop(sent)
            if is_full:
                break
            left -= sent
        if self.unsent_bytes:
            self.state = WriterState.DRAINING
            return True
        self.state = _IDLE
        if self._on_sent:
            self._report_sent()
        return False

    def close(self) -> None:
        """Drop what is unsent."""
        self.state = WriterState.CLOSED
        self._parts, self._started_bytes, self._is_deferred = [], 0, False
        self.unsent_bytes = 0
        if self._on_sent:
            self._report_sent()

    def _send_next(self, size_max: int) -> tuple[int, bool]:
        """Send the next parts; returns how many bytes, and whether the socket is full.

        A socket that takes a part of deferred records is full; no more are read now.
        """
        ready: list[Bytes] = self._parts  # type: ignore[assignment]  # if none is deferred
        first, send_file = self._parts[0], self._transport.send_file if self._is_deferred else None
        if send_file is not None and not isinstance(first, BUFFERS):
            size = min(len(first) - self._started_bytes, size_max)
            sent_from_file = first.send(send_file, self._started_bytes, size)
            if sent_from_file is not None:
                return sent_from_file, sent_from_file < size
        if self._is_deferred or self._started_bytes:
            ready = self._ready()
        sent = self._transport.send(ready)
        return sent, sent == 0 or (self._is_deferred and sent < sum(map(len, ready)))

    def _ready(self) -> list[Bytes]:
        """The next bytes to send: all parts, or up to one piece if any is deferred.

        If files can be sent, deferred records are read only if they come first: else they are not
        in a file.
        """
        ready, size, started = list[Bytes](), 0, self._started_bytes
        sends_files = self._transport.send_file is not None
        for part in self._parts:
            if ready and sends_files and not isinstance(part, BUFFERS):
                break
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

    def _report_sent(self) -> None:
        reports, self._on_sent = self._on_sent, []
        for report in reports:
            report()
