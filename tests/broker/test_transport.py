"""A TCP socket as a transport; a pair of connected sockets stands for the network."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest
import trio
import trio.testing

from broker.transport import Disconnected, SocketTransport

pytestmark = pytest.mark.anyio

Ends = tuple[SocketTransport, socket.socket]


@pytest.fixture
def ends() -> Iterator[Ends]:
    """Our end as a transport, and the other as a plain socket."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        other = socket.create_connection(listener.getsockname())
        ours, _ = listener.accept()
    with other, ours:
        yield SocketTransport(ours), other


async def test_what_is_there_is_received(ends: Ends) -> None:
    """Nothing there is no wait but an exception; the end is zero bytes."""
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
    """Several parts are one message."""
    transport, other = ends

    assert transport.send([b"ab", memoryview(b"cd"), bytearray(b"e")]) == 5
    assert transport.send([b"f"]) == 1

    assert other.recv(10) == b"abcdef"


async def test_a_full_socket_takes_nothing_more(ends: Ends) -> None:
    """Sending never waits: what does not fit is left with the caller."""
    transport, _ = ends
    chunk = bytes(1 << 20)

    while transport.send([chunk]) != 0:
        pass

    assert transport.send([chunk, chunk]) == 0


async def test_a_peer_that_is_gone_is_said_so(ends: Ends) -> None:
    """A reset by the peer is an event of its own, not an operating system's error."""
    transport, other = ends
    other.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    other.close()
    await transport.wait_readable()

    with pytest.raises(Disconnected):
        transport.receive_into(memoryview(bytearray(1)))


async def test_closing_wakes_who_waits(ends: Ends) -> None:
    """A task that waits for bytes is told that there will be none."""
    transport, _ = ends

    async with trio.open_nursery() as nursery:

        async def wait() -> None:
            with pytest.raises(trio.ClosedResourceError):
                await transport.wait_readable()

        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        transport.close()
        transport.close()
