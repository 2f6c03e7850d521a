"""Who leads a partition of the groups' topic looks after its groups (``onElection``)."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.partition_change import Election
from broker.groups.offsets_topic import ensure_offsets_topic
from broker.node import Node
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import FindCoordinatorRequest
from tests.client import RunningCluster, running_cluster, running_node

pytestmark = pytest.mark.anyio

GROUP = "g"


async def ask_for_the_coordinator(cluster: RunningCluster) -> int:
    """The node that looks after the group, once the topic of offsets is there."""
    ensure_offsets_topic(cluster.controller, cluster.node(1).config)
    body = FindCoordinatorRequest(coordinator_keys=[GROUP])
    (found,) = (await cluster.client(1).send(body)).coordinators
    assert found.error_code == ErrorCode.NONE
    node_id: int = found.node_id
    return node_id


def looks_after(node: Node) -> bool:
    """Whether the node answers for the group."""
    try:
        node.groups.runtime.check(GROUP)
    except ApiError:
        return False
    return True


def listens(node: Node) -> bool:
    """Whether the node's groups hear of the partition's replicas."""
    partition = node.groups.runtime.partition_for(GROUP)
    listeners = node.replication.purgatories.high_watermark_listeners
    return TopicPartition("__consumer_offsets", partition) in listeners


async def test_nobody_looks_after_groups_before_there_is_a_topic(tmp_path: Path) -> None:
    """The topic comes with the first question for a coordinator."""
    async with running_node(tmp_path) as node:
        assert not looks_after(node.node)


async def test_the_leader_looks_after_the_group_and_nobody_else(tmp_path: Path) -> None:
    """All nodes agree how many partitions there are, so on which of them a group lies."""
    async with running_cluster(tmp_path, 2, offsets_topic_num_partitions="4") as cluster:
        leader = await ask_for_the_coordinator(cluster)
        nodes = [cluster.node(each) for each in (1, 2)]

        assert [looks_after(node) for node in nodes] == [node.id == leader for node in nodes]
        assert [listens(node) for node in nodes] == [node.id == leader for node in nodes]
        assert all(node.groups.runtime.partition_count == 4 for node in nodes if looks_after(node))


async def test_groups_move_with_the_leadership(tmp_path: Path) -> None:
    """When a node goes the other one takes over, and gives back when it no longer leads."""
    async with running_cluster(tmp_path, 2, offsets_topic_num_partitions="4") as cluster:
        leader = await ask_for_the_coordinator(cluster)
        other = cluster.node(3 - leader)
        await cluster.cluster.stop(leader)
        assert (looks_after(other), listens(other)) == (True, True)

        await cluster.cluster.start(leader)
        await trio.sleep(1)
        finish(cluster.controller.elect_leaders(Election.PREFERRED))
        await trio.testing.wait_all_tasks_blocked()

        assert (looks_after(other), listens(other)) == (False, False)
        assert looks_after(cluster.node(leader))


async def test_other_topics_are_none_of_the_groups_business(tmp_path: Path) -> None:
    """Leading them makes no coordinator."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await trio.testing.wait_all_tasks_blocked()

        assert node.node.replicas.partitions[TopicPartition("t", 0)].is_leader
        assert node.node.replication.purgatories.high_watermark_listeners == {}
        assert not looks_after(node.node)
