"""The byte stream of one connection: non-blocking receive and send, and waits for readiness.

Connections use only the `Transport` protocol, so tests use one in memory. `SocketTransport` is a
non-blocking socket: trio reports its readiness, and a receive or send that need not wait costs no
task switch.

Each method of a transport whose peer has disconnected, or that was closed on this side, raises
`Disconnected`.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Sequence
from enum import Enum, auto
from typing import Final, Protocol

import trio

from broker.network.transports.send_file import NOT_SUPPORTED, send_file
from broker.network.transports.send_parts import send_parts
from protocol.output import SendFile


class Disconnected(Exception):  # noqa: N818 - an event, as in trio's own exceptions
    """The connection has ended: the peer has disconnected, or it was closed on this side."""


class TlsFailed(Disconnected):
    """TLS has failed: the handshake, or a record after it; the message has the reason."""


class Awaits(Enum):
    """What has to happen before `Transport.receive_into` can receive more."""

    BYTES = auto()  # the descriptor is readable
    ROOM = auto()  # the descriptor is writable: a message of a handshake is unsent
    NOTHING = auto()  # it can now, whether or not the descriptor is readable


class ReadinessListener(Protocol):
    """A user of a transport, which is called when the transport is ready."""

    def ready(self, readable: bool, writable: bool) -> None:
        """The transport is readable, writable or both; after an error it is both."""
        ...


class Watch(Protocol):
    """The wait for one transport."""

    def update(self, reads: bool, writes: bool) -> None:
        """Wait until the transport is readable, writable, either of them, or for nothing.

        Raises OSError if the system refuses.
        """
        ...

    def end(self) -> None:
        """Wait for nothing any more; called before the transport is closed."""
        ...


class Transport(Protocol):
    """A byte stream; only `wait_readable` and `wait_writable` wait.

    All methods that receive, send or wait raise `Disconnected` after the connection has ended.
    ``is_opening``: the next receive may make a step of a handshake, which takes a millisecond.
    """

    peer: str

    @property
    def awaits(self) -> Awaits:
        """What a receive waits for."""
        ...

    @property
    def is_opening(self) -> bool:
        """Whether a handshake is in progress."""
        ...

    def fileno(self) -> int:
        """The descriptor of the socket; -1 without one."""
        ...

    def receive_into(self, buffer: memoryview) -> int:
        """Receive what has arrived and return its size; 0 if the peer sends no more.

        Raises `BlockingIOError` if nothing has arrived.
        """
        ...

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """Send what fits into the socket and return its size in bytes."""
        ...

    @property
    def send_file(self) -> SendFile | None:
        """Sends what fits into the socket of a part of a file; None if this is not supported."""
        ...

    def watch(self, user: ReadinessListener) -> Watch | None:
        """Wait until this is readable, and call *user* then; None if a poller has to do so.

        Readiness is called once, not for as long as it lasts: `awaits` shows the rest.
        """
        ...

    async def wait_readable(self) -> None:
        """Wait until bytes, or the end of the stream, can be received."""
        ...

    async def wait_writable(self) -> None:
        """Wait until bytes can be sent."""
        ...

    def close(self) -> None:
        """Close at once and wake waiting tasks; closing again has no effect."""
        ...


# Opens a connection to a host and port; raises OSError.
Connect = Callable[[str, int], Awaitable[Transport]]


class SocketTransport:
    """A connected socket."""

    __slots__ = ("_is_closed", "_socket", "awaits", "is_opening", "peer")

    def __init__(
        self,
        connected: socket.socket,
        send_buffer_bytes: int = -1,
        receive_buffer_bytes: int = -1,
    ) -> None:
        """``send_buffer_bytes`` and ``receive_buffer_bytes``: -1 keeps the system's sizes."""
        self._socket = connected
        self._is_closed = False
        self.awaits, self.is_opening = Awaits.BYTES, False
        try:
            connected.setblocking(False)
            connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
            for option, size_bytes in (
                (socket.SO_SNDBUF, send_buffer_bytes),
                (socket.SO_RCVBUF, receive_buffer_bytes),
            ):
                if size_bytes >= 0:
                    connected.setsockopt(socket.SOL_SOCKET, option, size_bytes)
            self.peer = str(connected.getpeername()[0])
        except OSError:
            self.peer = "(gone)"  # it has disconnected since accept; the first receive reports it

    def fileno(self) -> int:
        """See `Transport.fileno`."""
        return self._socket.fileno()

    def receive_into(self, buffer: memoryview) -> int:
        """See `Transport.receive_into`."""
        try:
            return self._socket.recv_into(buffer)
        except BlockingIOError:
            raise
        except OSError as error:
            raise _disconnected(error) from None

    def send(self, parts: Sequence[bytes | bytearray | memoryview]) -> int:
        """See `Transport.send`."""
        try:
            if len(parts) == 1:
                return self._socket.send(parts[0])
            return send_parts(self._socket, parts)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise _disconnected(error) from None

    @property
    def send_file(self) -> SendFile | None:
        """See `Transport.send_file`."""
        return None if send_file is None else self._send_file

    def _send_file(self, descriptor: int, position: int, size: int) -> int | None:
        assert send_file is not None
        try:
            return send_file(self._socket.fileno(), descriptor, position, size)
        except BlockingIOError:
            return 0
        except OSError as error:
            if error.errno in NOT_SUPPORTED:
                return None
            raise _disconnected(error) from None

    def watch(self, _user: ReadinessListener) -> None:
        """See `Transport.watch`: the system reports the readiness of sockets to a poller."""

    async def wait_readable(self) -> None:
        """Wait until the socket is readable."""
        if self._is_closed:  # then it has no descriptor to wait for
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
        """Close the socket and wake the tasks that wait for it."""
        if not self._is_closed:
            self._is_closed = True
            trio.lowlevel.notify_closing(self._socket)
            self._socket.close()


_CLOSED_HERE: Final = "closed on this side"


async def connect(host: str, port: int) -> Transport:
    """A connection to another node; raises OSError if it cannot be opened."""
    stream = await trio.open_tcp_stream(host, port)
    return SocketTransport(socket.socket(fileno=stream.socket.detach()))


def _disconnected(error: OSError) -> Disconnected:
    """The exception for an error of a connected socket.

    Any error ends the connection, as an ``IOException`` closes a channel in Kafka's ``Selector``.
    """
    return Disconnected(error.strerror or str(error))
