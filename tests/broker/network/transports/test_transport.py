"""A TCP socket as a transport, tested with a pair of connected sockets."""

from __future__ import annotations

import errno
import os
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.network.transports import transport
from broker.network.transports.transport import Disconnected, SocketTransport
from protocol.output import SendFile

pytestmark = pytest.mark.anyio

Ends = tuple[SocketTransport, socket.socket]
DATA = bytes(range(256)) * 64

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="other systems read a file that is sent"
)


class BrokenSocket(socket.socket):
    """A socket for which the system reports an error at every call."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def _fail(self, *_: Any, **__: Any) -> Any:
        raise OSError(self._number, os.strerror(self._number))

    recv_into: Any = _fail
    send: Any = _fail
    sendmsg: Any = _fail
    getpeername: Any = _fail


@pytest.fixture
def ends() -> Iterator[Ends]:
    """The broker's end as a transport, and the other end as a plain socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        other = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    with other, ours:
        yield SocketTransport(ours), other


def test_the_system_checks_that_the_peer_of_an_idle_connection_exists(ends: Ends) -> None:
    """As Kafka, the socket has SO_KEEPALIVE."""
    with socket.socket(fileno=os.dup(ends[0].fileno())) as ours:
        assert ours.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)


@pytest.mark.parametrize(("size_bytes", "is_other"), [(-1, False), (30_000, True)])
def test_socket_buffers_have_the_configured_size(size_bytes: int, is_other: bool) -> None:
    """-1 keeps the size of the system."""
    with socket.socket() as connected:
        options = (socket.SO_SNDBUF, socket.SO_RCVBUF)
        before = [connected.getsockopt(socket.SOL_SOCKET, each) for each in options]

        SocketTransport(connected, size_bytes, size_bytes)

        after = [connected.getsockopt(socket.SOL_SOCKET, each) for each in options]
        assert [one != other for one, other in zip(after, before, strict=True)] == [is_other] * 2


async def test_received_bytes_are_returned(ends: Ends) -> None:
    """Without bytes an exception is raised; the end of the stream is zero bytes."""
    transport, other = ends
    buffer = memoryview(bytearray(10))
    with pytest.raises(BlockingIOError):
        transport.receive_into(buffer)

    other.sendall(b"abc")
    await transport.wait_readable()
    assert transport.receive_into(buffer) == 3
    assert bytes(buffer[:3]) == b"abc"

    other.close()
    await transport.wait_readable()
    assert transport.receive_into(buffer) == 0


async def test_parts_are_sent_in_order(ends: Ends) -> None:
    """All parts are sent with one call."""
    transport, other = ends

    assert transport.send([b"ab", memoryview(b"cd"), bytearray(b"e")]) == 5
    assert transport.send([b"f"]) == 1

    assert other.recv(10) == b"abcdef"


async def test_a_full_socket_takes_no_bytes(ends: Ends) -> None:
    """Sending does not wait; the caller keeps what does not fit."""
    transport, _ = ends
    chunk = bytes(1 << 20)

    while transport.send([chunk]) != 0:
        pass

    assert transport.send([chunk, chunk]) == 0


async def test_a_reset_by_the_peer_is_a_disconnect(ends: Ends) -> None:
    """The error of the operating system is replaced."""
    transport, other = ends
    other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    other.close()
    await transport.wait_readable()

    with pytest.raises(Disconnected):
        transport.receive_into(memoryview(bytearray(1)))


@pytest.mark.parametrize(
    "number",
    [
        errno.EBADF,
        errno.EPIPE,
        errno.ECONNRESET,
        errno.ECONNABORTED,
        errno.ETIMEDOUT,
        errno.ENOTCONN,
        errno.EHOSTUNREACH,
        errno.ENETDOWN,
        errno.ENOBUFS,
    ],
)
def test_every_error_of_a_socket_is_a_disconnect(number: int) -> None:
    """Receiving and sending raise the same exception."""
    with BrokenSocket(number) as broken:
        transport = SocketTransport(broken)

        with pytest.raises(Disconnected, match=os.strerror(number)):
            transport.receive_into(memoryview(bytearray(1)))
        with pytest.raises(Disconnected):
            transport.send([b"x"])
        with pytest.raises(Disconnected):
            transport.send([b"x", b"y"])
        assert transport.peer == "(gone)"


async def test_every_use_of_a_closed_transport_is_a_disconnect(ends: Ends) -> None:
    """Another task may close the transport at any time."""
    transport, _ = ends
    transport.close()

    with pytest.raises(Disconnected):
        transport.receive_into(memoryview(bytearray(1)))
    with pytest.raises(Disconnected):
        transport.send([b"x"])
    with pytest.raises(Disconnected):
        await transport.wait_readable()
    with pytest.raises(Disconnected):
        await transport.wait_writable()


async def test_closing_ends_both_waits(ends: Ends) -> None:
    """A task that waits for bytes or for room is woken by an exception."""
    transport, _ = ends
    while transport.send([bytes(1 << 20)]):
        pass

    async with trio.open_nursery() as nursery:

        async def wait(ready: Callable[[], Awaitable[None]]) -> None:
            with pytest.raises(Disconnected):
                await ready()

        nursery.start_soon(wait, transport.wait_readable)
        nursery.start_soon(wait, transport.wait_writable)
        await trio.testing.wait_all_tasks_blocked()
        transport.close()
        transport.close()


@pytest.fixture
def file(tmp_path: Path) -> Iterator[int]:
    """The descriptor of a file."""
    (tmp_path / "records").write_bytes(DATA)
    with (tmp_path / "records").open("rb") as opened:
        yield opened.fileno()


def _send_file(ours: SocketTransport) -> SendFile:
    assert ours.send_file is not None
    return ours.send_file


@on_linux
def test_a_part_of_a_file_is_sent_without_reading_it(ends: Ends, file: int) -> None:
    """From a position on; that of the descriptor does not count."""
    ours, other = ends

    assert _send_file(ours)(file, 100, 1000) == 1000

    assert other.recv(2000) == DATA[100:1100]


@on_linux
def test_a_full_socket_takes_nothing_of_a_file(ends: Ends, file: int) -> None:
    """That is no error."""
    ours, _ = ends
    while _send_file(ours)(file, 0, len(DATA)):
        pass

    assert ours.send([b"more"]) == 0


@on_linux
def test_a_file_that_the_system_cannot_send_is_no_disconnect(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection reads the file then."""
    ours, _ = ends

    def refuse(*_: int) -> int:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))

    monkeypatch.setattr(transport, "send_file", refuse)

    assert _send_file(ours)(0, 0, 100) is None


@on_linux
def test_a_file_cannot_be_sent_to_a_peer_that_has_disconnected(ends: Ends, file: int) -> None:
    """As any other bytes."""
    ours, other = ends
    other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    other.close()

    with pytest.raises(Disconnected):
        _send_file(ours)(file, 0, 100)
