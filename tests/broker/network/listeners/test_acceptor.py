"""Accepted connections, and those that are too many."""

from __future__ import annotations

import errno
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.network.clients.connection_setup import ConnectionSetup, Opening
from broker.network.listeners.acceptor import Acceptor, close_excess_connections
from broker.network.listeners.listening_socket import listen
from broker.network.listeners.local_listener import LocalListener
from broker.network.transports.transport import Transport
from broker.process.descriptors import ClientDescriptors
from tests.client import RunningNode, running_node


def _connect(port: int) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(5)
    return client


@asynccontextmanager
async def _accepting(
    tmp_path: Path, descriptors: int = 100, **config: str
) -> AsyncIterator[tuple[RunningNode, int]]:
    """A node that accepts connections at a local port."""
    async with running_node(tmp_path, kept=False, offload=None, **config) as node:
        with listen("--port", "127.0.0.1", 0) as listener:
            async with trio.open_nursery() as nursery:
                acceptor = Acceptor(node.node, "PLAINTEXT", ClientDescriptors(descriptors))
                nursery.start_soon(acceptor.run, listener)
                yield node, listener.getsockname()[1]
                nursery.cancel_scope.cancel()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_an_address_with_too_many_connections_is_closed_at_once(
    tmp_path: Path, anyio_backend: str
) -> None:
    """The earlier ones stay open."""
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
    """They are connected, but receive no response before another connection is closed."""
    async with _accepting(tmp_path, max_connections="1") as (node, port):
        first, second = _connect(port), _connect(port)
        second.sendall(struct.pack(">ihhih", 10, 18, 0, 7, -1))
        while not node.node.connections:
            await trio.lowlevel.checkpoint()
        await trio.testing.wait_all_tasks_blocked()
        waiting = len(node.node.connections)

        first.close()
        response = await trio.to_thread.run_sync(second.recv, 1)

        assert waiting == 1
        assert response
        second.close()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_a_fault_rule_resets_connections(tmp_path: Path, anyio_backend: str) -> None:
    """As often as it says; the next connection is served."""
    async with _accepting(tmp_path) as (node, port):
        node.cluster.faults.add({"times": 1, "action": {"type": "refuse_connections"}})
        refused, served = _connect(port), _connect(port)
        served.sendall(struct.pack(">ihhih", 10, 18, 0, 7, -1))

        with pytest.raises(ConnectionResetError):
            await trio.to_thread.run_sync(refused.recv, 1)
        assert await trio.to_thread.run_sync(served.recv, 1)
        refused.close()
        served.close()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_connections_beyond_the_share_of_clients_are_closed(
    tmp_path: Path, anyio_backend: str
) -> None:
    """They are closed at once, until another one has ended."""
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


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_a_burst_of_connections_is_accepted_in_small_steps(
    tmp_path: Path, anyio_backend: str
) -> None:
    """Open connections are served between them."""
    async with _accepting(tmp_path) as (node, port):
        clients = [_connect(port) for _ in range(50)]
        numbers = [0]
        while numbers[-1] < len(clients):
            await trio.lowlevel.checkpoint()
            numbers.append(len(node.node.connections))
        for client in clients:
            client.close()

    # Between two turns of this task the acceptor may have two.
    assert max(after - before for before, after in pairwise(numbers)) <= 2 * 8


class _BrokenSetup:
    """A setup that fails as its listener's first connections begin."""

    def __init__(self, setup: ConnectionSetup, *errors: Exception) -> None:
        self._setup = setup
        self._errors = list(errors)

    def open(self, transport: Transport) -> Opening:
        """See `ConnectionSetup.open`."""
        if self._errors:
            raise self._errors.pop(0)
        return self._setup.open(transport)


@pytest.mark.parametrize("is_local", [False, True])
@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_an_exception_ends_the_connection_that_begins(
    tmp_path: Path, is_local: bool, anyio_backend: str
) -> None:
    """It is closed and not counted; the next one is served."""
    bug, bugs = RuntimeError("bug"), list[Exception]()
    async with running_node(tmp_path, kept=False, offload=None) as node:
        setup = _BrokenSetup(node.node.listeners["PLAINTEXT"], bug, OSError(errno.ENOMEM, "no"))
        node.node.listeners = {"PLAINTEXT": setup}
        node.node.connections.on_bug = lambda _, error: bugs.append(error)
        local = LocalListener("127.0.0.1", 10)
        with listen("--port", "127.0.0.1", 0) as listener:
            async with trio.open_nursery() as nursery:
                acceptor = Acceptor(node.node, "PLAINTEXT", ClientDescriptors(1))
                port = listener.getsockname()[1]
                opened: list[Any]
                if is_local:
                    nursery.start_soon(acceptor.run_locally, local)
                    opened = [local.connect() for _ in range(3)]
                else:
                    nursery.start_soon(acceptor.run, listener)
                    opened = [_connect(port) for _ in range(3)]
                while not node.node.connections:
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
        for each in opened:
            each.close()

    assert bugs == [bug]


def _answered(port: int) -> socket.socket:
    """A connection whose first request has a response."""
    client = _connect(port)
    client.sendall(struct.pack(">ihhih", 10, 18, 0, 7, -1))
    assert client.recv(1)
    return client


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_an_address_above_its_quota_is_closed_later(
    tmp_path: Path, anyio_backend: str
) -> None:
    """Its connections are not counted, and are served again after the windows."""
    async with _accepting(tmp_path, descriptors=11) as (node, port):
        quota = {"connection_creation_rate": 1.0}
        node.controller.client_quotas.alter((("ip", "127.0.0.1"),), quota)
        clients = [_connect(port) for _ in range(11)]
        while len(node.node.connections) < 10:
            await trio.lowlevel.checkpoint()
        assert len(node.node.connections) == 10
        pending = node.node.timer.size

        closed = await trio.to_thread.run_sync(clients[10].recv, 1)

        assert closed == b""
        assert node.node.timer.size < pending
        for client in clients:
            client.close()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_connections_of_nodes_replace_those_of_clients_at_the_limit(
    tmp_path: Path, anyio_backend: str
) -> None:
    """The least recently used one is closed; the limit of the node exempts their listener."""
    settings = {
        "listeners": "INT://127.0.0.1:1,EXT://127.0.0.1:2",
        "listener_security_protocol_map": "INT:PLAINTEXT,EXT:PLAINTEXT",
        "inter_broker_listener_name": "INT",
        "listener_name_int_max_connections": "100",
        "max_connections": "2",
    }
    async with (
        running_node(tmp_path, kept=False, offload=None, **settings) as node,
        trio.open_nursery() as nursery,
    ):
        ports, sockets = {}, ExitStack()
        for name in ("INT", "EXT"):
            acceptor = Acceptor(node.node, name, ClientDescriptors(100))
            listener = sockets.enter_context(listen(name, "127.0.0.1", 0))
            nursery.start_soon(acceptor.run, listener)
            ports[name] = listener.getsockname()[1]
        nursery.start_soon(close_excess_connections, node.node)
        clients = [await trio.to_thread.run_sync(_answered, ports["EXT"]) for _ in range(2)]
        order = sorted(node.node.connections, key=lambda each: each.id)
        order[0].active_ms = order[1].active_ms + 1

        internal = await trio.to_thread.run_sync(_answered, ports["INT"])

        await trio.testing.wait_all_tasks_blocked()
        assert [each.is_closed for each in order] == [False, True]
        assert len(node.node.connections) == 2
        for client in (*clients, internal):
            client.close()
        nursery.cancel_scope.cancel()
    sockets.close()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_at_the_limit_connections_of_the_process_wait_as_well(
    tmp_path: Path, anyio_backend: str
) -> None:
    """Also if the limit is reached while none of them waits; when the node stops they end."""
    async with _accepting(tmp_path, max_connections="1") as (node, port):
        listener = LocalListener("127.0.0.1", 10)
        async with trio.open_nursery() as nursery:
            acceptor = Acceptor(node.node, "PLAINTEXT", ClientDescriptors(100))
            nursery.start_soon(acceptor.run_locally, listener)
            await trio.testing.wait_all_tasks_blocked()
            with _connect(port):
                while not node.node.connections:
                    await trio.lowlevel.checkpoint()
                waiting = listener.connect()
                await trio.testing.wait_all_tasks_blocked()

                assert len(node.node.connections) == 1
                assert not waiting.other.closed
                nursery.cancel_scope.cancel()

    assert waiting.other.closed
