"""What each running node knows of a topic."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.admin.facts.topic_on_nodes import topic_on_nodes
from tests.client import running_cluster

pytestmark = pytest.mark.anyio


async def test_a_node_knows_a_topic_when_it_has_received_it(tmp_path: Path) -> None:
    """The leader serves the partition; a node that lags behind does not know the topic."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.node(2).feed.hold()
        cluster.controller.create_topic("t", assignments=[(1, 2), (2, 1)])
        nodes = cluster.cluster.nodes

        [first, second] = topic_on_nodes(nodes, "t")

        assert first == {
            "node": 1,
            "partitions": [
                {"partition": 0, "leader": 1, "serves": True},
                {"partition": 1, "leader": 2, "serves": False},
            ],
        }
        assert second == {"node": 2, "partitions": None}
        cluster.node(2).feed.release()
        assert [each["serves"] for each in topic_on_nodes(nodes, "t")[1]["partitions"]] == [
            False,
            True,
        ]
