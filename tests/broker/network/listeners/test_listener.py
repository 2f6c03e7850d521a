"""Listening sockets and accepted connections."""

from __future__ import annotations

import os
import socket
import struct
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.errors import StartupError
from broker.config import Config, Setting
from broker.network.listeners.listener import Acceptor, TcpNetwork, close_excess_connections, listen
from broker.process.descriptors import ClientDescriptors
from broker.security.listeners.endpoints import Endpoint, Listeners, configured_listeners
from broker.security.session import SecurityProtocol
from tests.client import RunningNode, running_node


def test_port_0_is_any_free_port() -> None:
    """The system chooses it."""
    with listen("--port", "127.0.0.1", 0) as listener:
        assert listener.getsockname()[1] > 0


def test_a_port_in_use_is_refused_in_one_line() -> None:
    """It names the option, the port and the remedy."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]

        with pytest.raises(StartupError) as refusal:
            listen("--port", "127.0.0.1", port)

    text = f"--port: port {port} on 127.0.0.1 is in use; give a free one, or 0 for any"
    assert str(refusal.value) == text


@pytest.mark.parametrize(
    ("host", "problem"),
    [
        ("192.0.2.1", "is not an address of this machine"),
        ("no.such.host.invalid", "cannot be resolved"),
        ("a" * 300, "cannot be resolved"),
    ],
)
def test_a_host_of_another_machine_is_refused_in_one_line(host: str, problem: str) -> None:
    """An address, a name that cannot be resolved, and a name that is too long."""
    with pytest.raises(StartupError, match=f"^the listener A: '{host}' {problem}; give"):
        listen("the listener A", host, 0)


def test_the_port_of_a_listener_in_use_names_the_options() -> None:
    """A listener's port is that of --port or of the key listeners."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = Config.from_settings([Setting("listeners", f"PLAINTEXT://127.0.0.1:{port}", "-c")])

        with pytest.raises(StartupError, match=r"give a free one by --port or listeners, or 0 for"):
            TcpNetwork(configured_listeners(config), 1)


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


def own_listener() -> Listeners:
    """One at any port, which is advertised."""
    own = plaintext(0, "127.0.0.1", "PLAINTEXT")
    return Listeners((own,), {"PLAINTEXT": own}, "PLAINTEXT")


def plaintext(port: int, bind_host: str, name: str = "INTERNAL") -> Endpoint:
    return Endpoint(name, SecurityProtocol.PLAINTEXT, bind_host, port)


@pytest.mark.anyio
@pytest.mark.parametrize("bind_host", ["127.0.0.1", "0.0.0.0", ""])
async def test_nodes_do_not_connect_to_the_advertised_address(bind_host: str) -> None:
    """It may be reachable for clients only."""
    advertised = {"INTERNAL": plaintext(19092, "broker.invalid")}
    listeners = Listeners((plaintext(0, bind_host),), advertised, "INTERNAL")
    with closing(TcpNetwork(listeners, 2)) as network:
        transport = await network.connect("broker.invalid", 19093)
        transport.close()

        with pytest.raises(KeyError):
            await network.connect("broker.invalid", 19094)


@pytest.mark.skipif(sys.platform != "linux", reason="nodes connect by TCP")
@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_a_connection_between_nodes_has_the_address_of_the_port(
    tmp_path: Path, anyio_backend: str
) -> None:
    """Both sides have it as that of their peer, as if they were connected by TCP."""
    listeners = own_listener()
    async with running_node(tmp_path, kept=False, offload=None) as node:
        with closing(TcpNetwork(listeners, 1)) as network:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(network.serve, node.node)
                transport = await network.connect(*network.advertised[1]["PLAINTEXT"])
                while not node.node.connections:
                    await trio.lowlevel.checkpoint()
                clients = [each.peer for each in node.node.connections]
                nursery.cancel_scope.cancel()

    assert transport.peer == "127.0.0.1"
    assert clients == ["127.0.0.1"]
    transport.close()


@pytest.mark.skipif(sys.platform != "linux", reason="nodes connect by TCP")
@pytest.mark.anyio
async def test_where_sockets_without_tcp_are_refused_nodes_connect_by_tcp(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A sandbox may allow no other sockets."""
    monkeypatch.setattr(socket, "AF_UNIX", 9999)
    with closing(TcpNetwork(own_listener(), 1)) as network:
        [address] = network.advertised[1].values()
        transport = await network.connect(*address)
        with socket.socket(fileno=os.dup(transport.fileno())) as connected:
            family = connected.family
        transport.close()

    assert family == socket.AF_INET


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_a_stopped_node_refuses_the_connections_of_others(
    tmp_path: Path, anyio_backend: str
) -> None:
    """Until it is started again."""
    listeners = own_listener()
    async with running_node(tmp_path, kept=False, offload=None) as node:
        with closing(TcpNetwork(listeners, 1)) as network:
            address = network.advertised[1]["PLAINTEXT"]
            async with trio.open_nursery() as nursery:
                nursery.start_soon(network.serve, node.node)
                await trio.testing.wait_all_tasks_blocked()
                nursery.cancel_scope.cancel()
            with pytest.raises(OSError, match="attempts to connect"):
                await network.connect(*address)

            async with trio.open_nursery() as nursery:
                nursery.start_soon(network.serve, node.node)
                await trio.testing.wait_all_tasks_blocked()
                (await network.connect(*address)).close()
                nursery.cancel_scope.cancel()


def test_each_listener_of_a_node_has_a_port_of_its_own() -> None:
    """An advertised port 0 is the bound port."""
    bound = (plaintext(0, "127.0.0.1"), plaintext(0, "127.0.0.1", "EXTERNAL"))
    listeners = Listeners(bound, {each.listener: each for each in bound}, "INTERNAL")
    with closing(TcpNetwork(listeners, 2)) as network:
        addresses = [each for node in network.advertised.values() for each in node.values()]

    assert len({port for _, port in addresses} - {0}) == 4
    assert {host for host, _ in addresses} == {"127.0.0.1"}


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
