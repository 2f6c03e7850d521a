"""Fault rules that change a node when a request arrives."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.messages.metadata import MetadataRequest
from tests.broker.api.faults.faulted_node import pass_ms, settle
from tests.client import RunningCluster, running_cluster

pytestmark = pytest.mark.anyio


def state(cluster: RunningCluster, node_id: int) -> str:
    """The state of a node."""
    return str(cluster.cluster.members[node_id].state)


async def test_a_node_stops_on_the_nth_request_and_starts_again(tmp_path: Path) -> None:
    """The request has its response, and the clock of the cluster starts the node."""
    async with running_cluster(tmp_path) as cluster:
        action = {"type": "node", "do": "stop", "node": 2, "ms": 3000}
        cluster.cluster.faults.add(
            {"match": {"api": "Metadata"}, "nth": 2, "times": 1, "action": action}
        )
        client = cluster.client(1)

        await client.send(MetadataRequest(topics=[]))
        assert state(cluster, 2) == "running"
        await client.send(MetadataRequest(topics=[]))
        await settle()
        assert state(cluster, 2) == "stopped"
        await pass_ms(2900)
        assert state(cluster, 2) == "stopped"
        await pass_ms(200)

        assert state(cluster, 2) == "running"


async def test_a_node_is_paused_and_resumed_by_two_rules(tmp_path: Path) -> None:
    """Without a time the change remains until another rule undoes it."""
    async with running_cluster(tmp_path) as cluster:
        cluster.cluster.faults.add(
            {"times": 1, "action": {"type": "node", "do": "pause", "node": 3}},
            {"nth": 2, "times": 1, "action": {"type": "node", "do": "resume", "node": 3}},
        )
        client = cluster.client(1)

        await client.send(MetadataRequest(topics=[]))
        await settle()
        assert state(cluster, 3) == "paused"
        await client.send(MetadataRequest(topics=[]))
        await settle()

        assert state(cluster, 3) == "running"
