"""One connection's bytes: read what is there, send what fits, wait for more.

`Transport` is all that a connection knows of a network, so tests give it one in memory. The real
one is a plain non-blocking socket: trio only says when it is ready, and every read and write that
can be done without waiting costs no task switch.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Sequence
from typing import Protocol

import trio

# What a peer that vanished looks like. Anything else an operating system says about a socket is
# not expected and flies.
_GONE = frozenset(
    {errno.ECONNRESET, errno.EPIPE, errno.ECONNABORTED, errno.ETIMEDOUT, errno.EHOSTUNREACH}
)
_SEND_PARTS_MAX = 512  # below every IOV_MAX


class Disconnected(Exception):  # noqa: N818 - an event, as in trio's own exceptions
    """The peer is gone."""


class Transport(Protocol):
    """A byte stream that is never waited on by reading or writing, only by the two waits."""

    peer: str

    def receive_into(self, buffer: memoryview) -> int:
        """Read what is there; 0 when the peer has closed.

        Raises `BlockingIOError` when nothing is there, `Disconnected` when the peer is gone.
        """
        ...

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """Send what fits and say how many bytes that was; raises `Disconnected`."""
        ...

    async def wait_readable(self) -> None:
        """Wait until there is something to read, be it the end."""
        ...

    async def wait_writable(self) -> None:
        """Wait until something can be sent."""
        ...

    def close(self) -> None:
        """Close at once; whoever waits is woken by `trio.ClosedResourceError`."""
        ...


class SocketTransport:
    """A connected TCP socket."""

    __slots__ = ("_socket", "peer")

    def __init__(self, connected: socket.socket) -> None:
        connected.setblocking(False)
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket = connected
        try:
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
            raise _disconnected(error) from error

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """Send what fits; see `Transport.send`."""
        try:
            if len(parts) == 1:
                return self._socket.send(parts[0])
            return self._socket.sendmsg(parts[:_SEND_PARTS_MAX])
        except BlockingIOError:
            return 0
        except OSError as error:
            raise _disconnected(error) from error

    async def wait_readable(self) -> None:
        """Wait until the socket is readable."""
        await trio.lowlevel.wait_readable(self._socket)

    async def wait_writable(self) -> None:
        """Wait until the socket is writable."""
        await trio.lowlevel.wait_writable(self._socket)

    def close(self) -> None:
        """Close the socket and wake whoever waits on it."""
        if self._socket.fileno() >= 0:
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()


async def connect(host: str, port: int) -> Transport:
    """A connection to another node; raises OSError when nobody listens there."""
    stream = await trio.open_tcp_stream(host, port)
    return SocketTransport(socket.socket(fileno=stream.socket.detach()))


def _disconnected(error: OSError) -> Exception:
    return Disconnected(str(error)) if error.errno in _GONE else error
