"""The open connections of a node."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.common.state_changes import StateChanges
from broker.config import Config
from broker.network.clients.connection_setup import PlaintextSetup
from broker.network.clients.connections import Connections
from broker.network.serving.node_channels import NodeChannels
from broker.network.transports.memory_transport import memory_transport_pair
from protocol.framing import Scratch
from purgatories.timer.system_timer import SystemTimer
from tests.broker.network.other_nodes import OtherNodes

pytestmark = pytest.mark.anyio


def fail(_peer: str, bug: Exception) -> None:
    """No connection is to have a bug."""
    raise bug


def opened_connections(channels: NodeChannels) -> Connections:
    timer = SystemTimer("test", now_ms=lambda: 0.0)
    return Connections(Config(), timer, Scratch(), fail, StateChanges(), channels, None)


async def test_a_connection_is_open_until_its_client_closes_it() -> None:
    """Open connections can be counted and iterated over."""
    others, ended = OtherNodes(), list[str]()
    connections = opened_connections(others.channels)
    setup = PlaintextSetup("PLAINTEXT", Config(), lambda *_: None)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(others.run)
        client, transport = memory_transport_pair()
        connection = connections.open(setup.open(transport), lambda: ended.append("ended"))
        await trio.testing.wait_all_tasks_blocked()
        assert (len(connections), list(connections), ended) == (1, [connection], [])

        client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert (len(connections), ended) == (0, ["ended"])
        nursery.cancel_scope.cancel()
