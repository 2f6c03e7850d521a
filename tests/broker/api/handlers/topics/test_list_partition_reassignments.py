"""ListPartitionReassignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from protocol.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsTopics,
)
from tests.client import running_cluster

pytestmark = pytest.mark.anyio


async def test_a_move_is_listed(tmp_path: Path) -> None:
    """With null topics, or if it is named; a paused follower keeps it from completing."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2), (1, 2)])
        cluster.cluster.pause(3)
        cluster.controller.reassign(TopicPartition("t", 0), (1, 3))
        client = cluster.client(2)
        other = ListPartitionReassignmentsTopics(name="t", partition_indexes=[1])

        everything = await client.send(ListPartitionReassignmentsRequest())
        named = await client.send(ListPartitionReassignmentsRequest(topics=[other]))

        [topic] = everything.topics
        [partition] = topic.partitions
        assert (topic.name, partition.partition_index) == ("t", 0)
        assert partition.replicas == [1, 3, 2]
        assert (partition.adding_replicas, partition.removing_replicas) == ([3], [2])
        assert named.topics == []
