"""What delayed operations wait for, in a few words."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.topic_partition import TopicPartition
from broker.wait_records.operations import progress, purgatory_of, waited_for
from tests.batches import batch
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


async def test_a_produce_waits_for_the_first_partition_that_is_not_decided(tmp_path: Path) -> None:
    """The one whose follower is paused, not the one that has no followers."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2), (1, 3)])
        client, node = cluster.client(1), cluster.node(1)
        await client.send(produce_request("t", batch(b"a"), batch(b"a")), PRODUCE_VERSION)
        cluster.cluster.pause(3)
        client.start(produce_request("t", batch(b"b"), batch(b"b")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        [operation] = [
            connection.in_progress.operation
            for connection in node.connections
            if connection.in_progress is not None and connection.in_progress.client_id == "test"
        ]
        assert operation is not None

        assert purgatory_of(operation) == "Produce"
        assert waited_for(node.services, operation) == {
            "kind": "high_watermark",
            "topic": "t",
            "partition": 1,
            "need": 2,
            "had": 1,
            "behind": [3],
            "behind_at": [1],
        }


async def test_progress_is_the_leaders_view(tmp_path: Path) -> None:
    """Who leads knows all ends; who follows knows nothing of the others."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        await cluster.client(1).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        key = TopicPartition("t", 0)
        leader, follower = cluster.node(1), cluster.node(2)

        seen = progress(leader.services, leader.replicas.partitions[key])

        assert [(each.node_id, each.end_offset, each.in_sync) for each in seen] == [
            (1, 1, True),
            (2, 1, True),
        ]
        assert progress(follower.services, follower.replicas.partitions[key]) == []
