"""One connection's bytes: read what is there, send what fits, wait for more.

`Transport` is all that a connection knows of a network, so tests give it one in memory. The real
one is a plain non-blocking socket: trio only says when it is ready, and every read and write that
can be done without waiting costs no task switch.

A transport has one way to end: each method of a transport whose peer is gone, or that was closed
here, raises `Disconnected`.
"""

from __future__ import annotations

import socket
from collections.abc import Sequence
from typing import Protocol

import trio

_SEND_PARTS_MAX = 512  # below every IOV_MAX


class Disconnected(Exception):  # noqa: N818 - an event, as in trio's own exceptions
    """The connection has ended: its peer is gone, or it was closed on this side."""


class Transport(Protocol):
    """A byte stream that is never waited on by reading or writing, only by the two waits.

    All methods but `close` raise `Disconnected` once the connection has ended, by whichever side.
    """

    peer: str

    def receive_into(self, buffer: memoryview) -> int:
        """Read what is there; 0 when the peer has closed.

        Raises `BlockingIOError` when nothing is there.
        """
        ...

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """Send what fits and return how many bytes that was."""
        ...

    async def wait_readable(self) -> None:
        """Wait until there is something to read, be it the end."""
        ...

    async def wait_writable(self) -> None:
        """Wait until something can be sent."""
        ...

    def close(self) -> None:
        """Close at once and wake the tasks that wait; closing again has no effect."""
        ...


class SocketTransport:
    """A connected TCP socket."""

    __slots__ = ("_is_closed", "_socket", "peer")

    def __init__(
        self, connected: socket.socket, send_buffer_bytes: int = -1, receive_buffer_bytes: int = -1
    ) -> None:
        """``send_buffer_bytes`` and ``receive_buffer_bytes``: -1 leaves them to the system."""
        self._socket = connected
        self._is_closed = False
        try:
            connected.setblocking(False)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for option, size_bytes in (
                (socket.SO_SNDBUF, send_buffer_bytes),
                (socket.SO_RCVBUF, receive_buffer_bytes),
            ):
                if size_bytes >= 0:
                    connected.setsockopt(socket.SOL_SOCKET, option, size_bytes)
            self.peer = str(connected.getpeername()[0])
        except OSError:
            self.peer = "(gone)"  # it left between accept and here; the first read says so

    def receive_into(self, buffer: memoryview) -> int:
        """Read what is there; see `Transport.receive_into`."""
        try:
            return self._socket.recv_into(buffer)
        except BlockingIOError:
            raise
        except OSError as error:
            raise _disconnected(error) from None

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """Send what fits; see `Transport.send`."""
        try:
            if len(parts) == 1:
                return self._socket.send(parts[0])
            return self._socket.sendmsg(parts[:_SEND_PARTS_MAX])
        except BlockingIOError:
            return 0
        except OSError as error:
            raise _disconnected(error) from None

    async def wait_readable(self) -> None:
        """Wait until the socket is readable."""
        if self._is_closed:  # it has no descriptor that trio could wait on
            raise Disconnected(_CLOSED_HERE)
        try:
            await trio.lowlevel.wait_readable(self._socket)
        except trio.ClosedResourceError:
            raise Disconnected(_CLOSED_HERE) from None

    async def wait_writable(self) -> None:
        """Wait until the socket is writable."""
        if self._is_closed:
            raise Disconnected(_CLOSED_HERE)
        try:
            await trio.lowlevel.wait_writable(self._socket)
        except trio.ClosedResourceError:
            raise Disconnected(_CLOSED_HERE) from None

    def close(self) -> None:
        """Close the socket and wake the tasks that wait on it."""
        if not self._is_closed:
            self._is_closed = True
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()


_CLOSED_HERE = "closed on this side"


async def connect(host: str, port: int) -> Transport:
    """A connection to another node; raises OSError when nobody listens there."""
    stream = await trio.open_tcp_stream(host, port)
    return SocketTransport(socket.socket(fileno=stream.socket.detach()))


def _disconnected(error: OSError) -> Disconnected:
    """Whatever the system reports of a connected socket, the connection is of no more use.

    As in Kafka's ``Selector``, which takes each ``IOException`` of a channel for its end.
    """
    return Disconnected(error.strerror or str(error))
