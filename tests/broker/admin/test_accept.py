"""The first connection to the admin interface loads it."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.accept import Serve, accept_connections
from broker.admin.http import raise_error
from broker.admin.listener import AdminListener


@pytest.mark.anyio
async def test_the_interface_is_loaded_for_the_first_connection_alone() -> None:
    """A broker without such connections does not load it."""
    listener = AdminListener("127.0.0.1", 0)
    loaded: list[int] = []
    served: list[bytes | bytearray] = []

    async def load() -> Serve:
        loaded.append(len(served))
        return serve

    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            served.append(await stream.receive_some(1))
            await stream.send_all(b".")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(accept_connections, listener, load, raise_error)
        await wait_all_tasks_blocked()
        assert loaded == []
        for _ in range(2):
            async with await trio.open_tcp_stream(*listener.address) as client:
                await client.send_all(b"x")
                assert await client.receive_some(1) == b"."
        nursery.cancel_scope.cancel()
    assert (loaded, served) == ([0], [b"x", b"x"])


@pytest.mark.anyio
async def test_an_exception_while_it_is_loaded_closes_that_connection() -> None:
    """It is reported, and the next connection loads the interface."""
    listener = AdminListener("127.0.0.1", 0)
    missing = ModuleNotFoundError("no such module")
    reported: list[tuple[str, Exception]] = []
    results: list[Exception | None] = [missing, None]

    async def load() -> Serve:
        error = results.pop(0)
        if error is not None:
            raise error
        return serve

    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.send_all(b".")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(
            accept_connections, listener, load, lambda *error: reported.append(error)
        )
        received = []
        for _ in range(2):
            async with await trio.open_tcp_stream(*listener.address) as client:
                received.append(await client.receive_some(1))
        nursery.cancel_scope.cancel()
    assert received == [b"", b"."]
    assert reported == [("loading the admin interface", missing)]
