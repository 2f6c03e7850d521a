"""The open connections and their clients."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.admin.facts.connections import connections
from broker.common.clock import Clock
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from tests.client import RunningNode, running_cluster, running_node

pytestmark = pytest.mark.anyio


def clients(node: RunningNode, name: str | None = None) -> list[str | None]:
    """The client ids of the connections that are listed."""
    return [each["client_id"] for each in connections([node.node], name, False, 10)]


async def test_a_connection_has_what_its_client_has_named(tmp_path: Path) -> None:
    """Its library, from ApiVersions, and the client id of its latest request."""
    async with running_node(tmp_path) as node:
        client = node.client()
        versions = ApiVersionsRequest(client_software_name="lib", client_software_version="1.0")
        await client.send(versions, client_id="first")
        await trio.sleep(2)
        await client.send(MetadataRequest(topics=None), client_id="app")
        await trio.sleep(3)

        [found] = connections([node.node], None, False, 10)

        clock: Clock = node.node.clock
        assert found == {
            "node": 1,
            "connection": client.connection.id,
            "client_id": "app",
            "software": "lib",
            "software_version": "1.0",
            "address": client.connection.peer,
            "listener": "PLAINTEXT",
            "principal": "User:ANONYMOUS",
            "since_us": clock.wall_us_at(clock.now_ms() - 5000),
            "idle_ms": 3000,
            "requests": 2,
            "is_waiting": False,
        }


async def test_connections_are_selected_by_their_client(tmp_path: Path) -> None:
    """A client id may be given as it is printed; a connection without requests has none."""
    async with running_node(tmp_path) as node:
        for name in ("app", "bell\x07", "app"):
            await node.client().send(MetadataRequest(topics=None), client_id=name)
        node.client()

        assert clients(node) == ["app", "bell\x07", "app", None]
        assert clients(node, "app") == ["app", "app"]
        assert clients(node, "bell\\x07") == ["bell\x07"]
        assert clients(node, "other") == []


async def test_connections_between_nodes_are_listed_on_request(tmp_path: Path) -> None:
    """Or if their client id is named."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        await trio.testing.wait_all_tasks_blocked()
        nodes = [cluster.node(1)]

        assert connections(nodes, None, False, 10) == []
        [found] = connections(nodes, None, True, 10)
        assert (found["client_id"], found["is_waiting"]) == ("node-2", True)
        assert connections(nodes, "node-2", False, 10) == [found]
        assert connections(nodes, None, True, 0) == []
