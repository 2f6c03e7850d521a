"""The leader of a partition of ``__consumer_offsets`` coordinates its groups (``onElection``)."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.partitions.partition_change import Election
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.node import Node
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.client import RunningCluster, running_cluster, running_node

pytestmark = pytest.mark.anyio

GROUP = "g"


async def find_coordinator(cluster: RunningCluster) -> int:
    """Create the offsets topic and return the id of the node that coordinates the group."""
    ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
    body = FindCoordinatorRequest(coordinator_keys=[GROUP])
    (found,) = (await cluster.client(1).send(body)).coordinators
    assert found.error_code == ErrorCode.NONE
    node_id: int = found.node_id
    return node_id


def coordinates(node: Node) -> bool:
    """Whether the node coordinates the group."""
    try:
        node.groups.runtime.check(GROUP)
    except ApiError:
        return False
    return True


def listens(node: Node) -> bool:
    """Whether the runtime of the node's groups is notified of the partition's high watermark."""
    partition = node.groups.runtime.partition_for(GROUP)
    listeners = node.replication.purgatories.high_watermark_listeners
    return TopicPartition("__consumer_offsets", partition) in listeners


async def test_no_node_coordinates_groups_before_the_topic_exists(tmp_path: Path) -> None:
    """The first FindCoordinator creates the topic."""
    async with running_node(tmp_path) as node:
        assert not coordinates(node.node)


async def test_only_the_leader_coordinates_the_group(tmp_path: Path) -> None:
    """The runtime has the partition count of the topic itself."""
    async with running_cluster(tmp_path, 2, offsets_topic_num_partitions="4") as cluster:
        leader = await find_coordinator(cluster)
        nodes = [cluster.node(each) for each in (1, 2)]

        assert [coordinates(node) for node in nodes] == [node.id == leader for node in nodes]
        assert [listens(node) for node in nodes] == [node.id == leader for node in nodes]
        assert all(node.groups.runtime.partition_count == 4 for node in nodes if coordinates(node))


async def test_groups_move_with_the_leadership(tmp_path: Path) -> None:
    """The other node coordinates the group while it leads the partition."""
    async with running_cluster(tmp_path, 2, offsets_topic_num_partitions="4") as cluster:
        leader = await find_coordinator(cluster)
        other = cluster.node(3 - leader)
        await cluster.cluster.stop(leader)
        assert (coordinates(other), listens(other)) == (True, True)

        await cluster.cluster.start(leader)
        await trio.sleep(1)
        finish(cluster.controller.elect_leaders(Election.PREFERRED))
        await trio.testing.wait_all_tasks_blocked()

        assert (coordinates(other), listens(other)) == (False, False)
        assert coordinates(cluster.node(leader))


async def test_other_topics_have_no_coordinator(tmp_path: Path) -> None:
    """Their leader registers no listener."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await trio.testing.wait_all_tasks_blocked()

        assert node.node.replicas.partitions[TopicPartition("t", 0)].is_leader
        assert node.node.replication.purgatories.high_watermark_listeners == {}
        assert not coordinates(node.node)
