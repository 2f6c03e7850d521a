"""The first connection to the admin interface loads it."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from broker.admin.accept import Serve, accept_connections
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
        nursery.start_soon(accept_connections, listener, load)
        await wait_all_tasks_blocked()
        assert loaded == []
        for _ in range(2):
            async with await trio.open_tcp_stream(*listener.address) as client:
                await client.send_all(b"x")
                assert await client.receive_some(1) == b"."
        nursery.cancel_scope.cancel()
    assert (loaded, served) == ([0], [b"x", b"x"])
