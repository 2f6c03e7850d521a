"""Connections between the nodes of a process."""

from __future__ import annotations

import pytest
import trio

from broker.network.listeners.local_listener import LocalListener

pytestmark = pytest.mark.anyio


async def test_a_connection_waits_until_it_is_accepted() -> None:
    """Both ends have the address of the listener as that of their peer."""
    listener = LocalListener("127.0.0.1", 10)
    here = listener.connect()
    here.send([b"one"])

    there = await listener.accept()

    assert (here.peer, there.peer) == ("127.0.0.1", "127.0.0.1")
    assert there.incoming == b"one"


async def test_a_full_backlog_refuses_connections() -> None:
    """As the system does for sockets."""
    listener = LocalListener("127.0.0.1", 1)
    listener.connect()

    with pytest.raises(ConnectionRefusedError):
        listener.connect()


async def test_a_listener_that_closes_ends_the_connections_that_wait() -> None:
    """It refuses others, and closing it again has no effect."""
    listener = LocalListener("127.0.0.1", 10)
    waiting = [listener.connect() for _ in range(2)]

    listener.close()
    listener.close()

    with trio.fail_after(1):
        for each in waiting:
            await each.wait_readable()
    assert [each.receive_into(memoryview(bytearray(1))) for each in waiting] == [0, 0]
    with pytest.raises(ConnectionRefusedError):
        listener.connect()
