"""Listening sockets."""

from __future__ import annotations

import socket
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.errors import StartupError
from broker.network.listener import TcpNetwork, accept_connections, listen
from broker.process.descriptors import ClientDescriptors
from tests.client import RunningNode, running_node


def test_any_free_port() -> None:
    """Port 0 is any port that is free."""
    with listen("--port", "127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0


def test_a_port_in_use_is_one_line() -> None:
    """The option, the port, and what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(StartupError) as refusal:
            listen("--port", "127.0.0.1", port)

    text = f"--port: port {port} on 127.0.0.1 is in use; give a free one, or 0 for any"
    assert str(refusal.value) == text


@pytest.mark.parametrize("host", ["192.0.2.1", "no.such.host.invalid", "a" * 300])
def test_a_host_that_is_not_ours_is_one_line(host: str) -> None:
    """An address of another machine, a name that leads nowhere, and no name at all."""
    with pytest.raises(StartupError, match=r"--host: .* is not an address of this machine"):
        listen("--port", host, 0)


def _connect(port: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(5)
    return client


@asynccontextmanager
async def _accepting(
    tmp_path: Path, descriptors: int = 100, **config: str
) -> AsyncIterator[tuple[RunningNode, int]]:
    """A node that accepts connections at a port of this machine."""
    async with running_node(tmp_path, kept=False, offload=None, **config) as node:
        with listen("--port", "127.0.0.1", 0) as listener:
            async with trio.open_nursery() as nursery:
                counted = ClientDescriptors(descriptors)
                nursery.start_soon(accept_connections, listener, node.node, nursery, counted)
                yield node, listener.getsockname()[1]
                nursery.cancel_scope.cancel()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_an_address_with_too_many_connections_is_closed_at_once(
    tmp_path: Path, anyio_backend: str
) -> None:
    """The first ones stay."""
    async with _accepting(tmp_path, max_connections_per_ip="2") as (node, port):
        clients = [_connect(port) for _ in range(3)]

        closed = await trio.to_thread.run_sync(clients[2].recv, 1)

        assert closed == b""
        assert len(node.node.connections) == 2
        for client in clients:
            client.close()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_at_the_limit_connections_wait_in_the_backlog(
    tmp_path: Path, anyio_backend: str
) -> None:
    """They are connected, and nobody reads what they send until another goes."""
    async with _accepting(tmp_path, max_connections="1") as (node, port):
        first, second = _connect(port), _connect(port)
        second.sendall(struct.pack(">ihhih", 10, 18, 0, 7, -1))
        while not node.node.connections:
            await trio.lowlevel.checkpoint()
        await trio.testing.wait_all_tasks_blocked()
        waiting = len(node.node.connections)

        first.close()
        answer = await trio.to_thread.run_sync(second.recv, 1)

        assert waiting == 1
        assert answer
        second.close()


@pytest.mark.anyio
@pytest.mark.parametrize("bind_host", ["127.0.0.1", "0.0.0.0"])
async def test_nodes_reach_each_other_past_the_advertised_address(bind_host: str) -> None:
    """Which may be one that leads here for clients only."""
    listener = listen("--port", bind_host, 0)
    port = listener.getsockname()[1]
    told = ("broker.invalid", 19092)
    network = TcpNetwork({port: listener}, bind_host, [told])

    transport = await network.connect(*told)

    with listener:
        accepted, address = listener.accept()
        accepted.close()
        assert address[0] == "127.0.0.1"
    transport.close()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_no_client_gets_the_descriptors_of_others(tmp_path: Path, anyio_backend: str) -> None:
    """Beyond the share of clients a connection is closed at once, until another one has ended."""
    async with _accepting(tmp_path, descriptors=1) as (node, port):
        first, second = _connect(port), _connect(port)

        assert await trio.to_thread.run_sync(second.recv, 1) == b""
        assert len(node.node.connections) == 1
        first.close()
        while node.node.connections:
            await trio.lowlevel.checkpoint()
        third = _connect(port)
        third.sendall(struct.pack(">ihhih", 10, 18, 0, 7, -1))
        assert await trio.to_thread.run_sync(third.recv, 1)
        second.close()
        third.close()
