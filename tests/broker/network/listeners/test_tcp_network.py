"""The ports of nodes, and the connections between nodes."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from ipaddress import ip_address
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.errors import StartupError
from broker.config import Config, Setting
from broker.network.listeners.tcp_network import TcpNetwork
from broker.security.listeners.endpoints import Endpoint, Listeners, configured_listeners
from broker.security.session import SecurityProtocol
from tests.client import RunningNode, running_node


def own_listener() -> Listeners:
    """One at any port, which is advertised."""
    own = plaintext(0, "127.0.0.1", "PLAINTEXT")
    return Listeners((own,), {"PLAINTEXT": own}, "PLAINTEXT")


def plaintext(port: int, bind_host: str, name: str = "INTERNAL") -> Endpoint:
    return Endpoint(name, SecurityProtocol.PLAINTEXT, bind_host, port)


def test_the_port_of_a_listener_in_use_names_the_options() -> None:
    """A listener's port is that of --port or of the key listeners."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        config = Config.from_settings([Setting("listeners", f"PLAINTEXT://127.0.0.1:{port}", "-c")])

        with pytest.raises(StartupError, match=r"give a free one by --port or listeners, or 0 for"):
            TcpNetwork(configured_listeners(config), 1)


@asynccontextmanager
async def serving(network: TcpNetwork, node: RunningNode) -> AsyncIterator[None]:
    """The node accepts connections."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(network.serve, node.node)
        await trio.testing.wait_all_tasks_blocked()
        yield
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def node_of_network(tmp_path: Path) -> AsyncIterator[tuple[RunningNode, TcpNetwork]]:
    """A node, and the network of which it is the only one."""
    async with running_node(tmp_path, kept=False, offload=None) as node:
        with closing(TcpNetwork(own_listener(), 1)) as network:
            yield node, network


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


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_a_connection_between_nodes_has_the_address_of_the_port(
    tmp_path: Path, anyio_backend: str
) -> None:
    """Both sides have it as that of their peer, as if they were connected by TCP."""
    async with node_of_network(tmp_path) as (node, network), serving(network, node):
        transport = await network.connect(*network.advertised[1]["PLAINTEXT"])
        while not node.node.connections:
            await trio.lowlevel.checkpoint()
        clients = [each.peer for each in node.node.connections]

    assert transport.peer == "127.0.0.1"
    assert clients == ["127.0.0.1"]
    transport.close()


@pytest.mark.anyio
async def test_a_connection_between_nodes_has_a_numeric_address() -> None:
    """Also if the listener has the name of a host: quotas compare addresses."""
    own = plaintext(0, "localhost")
    with closing(TcpNetwork(Listeners((own,), {"INTERNAL": own}, "INTERNAL"), 1)) as network:
        transport = await network.connect(*network.advertised[1]["INTERNAL"])

    assert ip_address(transport.peer).is_loopback
    transport.close()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_a_stopped_node_refuses_the_connections_of_others(
    tmp_path: Path, anyio_backend: str
) -> None:
    """Until it is started again."""
    async with node_of_network(tmp_path) as (node, network):
        address = network.advertised[1]["PLAINTEXT"]
        async with serving(network, node):
            pass
        with pytest.raises(OSError, match="attempts to connect"):
            await network.connect(*address)

        async with serving(network, node):
            (await network.connect(*address)).close()


def test_nodes_are_numbered_from_the_first_id() -> None:
    """Their advertised ports begin with that of the listener."""
    listeners = Listeners(
        (plaintext(0, "127.0.0.1"),), {"INTERNAL": plaintext(19092, "h")}, "INTERNAL"
    )
    with closing(TcpNetwork(listeners, 2, first_id=0)) as network:
        assert network.advertised == {
            0: {"INTERNAL": ("h", 19092)},
            1: {"INTERNAL": ("h", 19093)},
        }


def test_each_listener_of_a_node_has_a_port_of_its_own() -> None:
    """An advertised port 0 is the bound port."""
    bound = (plaintext(0, "127.0.0.1"), plaintext(0, "127.0.0.1", "EXTERNAL"))
    listeners = Listeners(bound, {each.listener: each for each in bound}, "INTERNAL")
    with closing(TcpNetwork(listeners, 2)) as network:
        addresses = [each for node in network.advertised.values() for each in node.values()]

    assert len({port for _, port in addresses} - {0}) == 4
    assert {host for host, _ in addresses} == {"127.0.0.1"}
