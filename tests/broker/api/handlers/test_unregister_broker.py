"""UnregisterBroker; what Kafka 4.3.1 does with three nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.image import PartitionRegistration
from protocol.errors import ErrorCode
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    PartitionRequest,
    TopicRequest,
)
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.unregister_broker import UnregisterBrokerRequest
from tests.batches import batch
from tests.client import RunningCluster, running_cluster, running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


def _partition(cluster: RunningCluster) -> PartitionRegistration:
    topic = cluster.controller.topic("t")
    assert topic is not None
    return topic.partitions[0]


async def _nodes(cluster: RunningCluster) -> list[int]:
    """The nodes that the first one tells, those that are fenced included."""
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=False, include_fenced_brokers=True
    )
    answer = await cluster.client(1).send(request, 2)
    return [each.broker_id for each in answer.brokers]


async def test_a_node_that_never_was_is_not_forgotten(tmp_path: Path) -> None:
    """With Kafka's code and words."""
    async with running_node(tmp_path) as node:
        answer = await node.client().send(UnregisterBrokerRequest(broker_id=7))

        assert answer.error_code == ErrorCode.BROKER_ID_NOT_REGISTERED
        assert answer.error_message == "Broker ID 7 is not currently registered"


async def test_a_node_that_is_down_is_forgotten(tmp_path: Path) -> None:
    """Nobody tells of it any more, until it is started again and catches up."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(3, 2)])
        await cluster.cluster.stop(3)

        answer = await cluster.client(1).send(UnregisterBrokerRequest(broker_id=3))
        again = await cluster.client(1).send(UnregisterBrokerRequest(broker_id=3))

        assert (answer.error_code, answer.error_message) == (0, "")
        assert again.error_code == ErrorCode.BROKER_ID_NOT_REGISTERED
        assert await _nodes(cluster) == [1, 2]
        await cluster.cluster.start(3)
        assert await _nodes(cluster) == [1, 2, 3]


async def test_a_node_that_lives_loses_what_it_led(tmp_path: Path) -> None:
    """It goes on answering, says who leads now, and is a member again after a new start."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(3, 2)])

        await cluster.client(1).send(UnregisterBrokerRequest(broker_id=3))

        assert await _nodes(cluster) == [1, 2]
        assert (_partition(cluster).leader, _partition(cluster).isr) == (2, (2,))
        answer = await cluster.client(3).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        (produced,) = answer.responses[0].partition_responses
        assert produced.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        transactions = FindCoordinatorRequest(key_type=1, coordinator_keys=["x"])
        answer = await cluster.client(3).send(transactions, 4)
        assert answer.coordinators[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        await cluster.cluster.stop(3)
        await cluster.cluster.start(3)
        assert await _nodes(cluster) == [1, 2, 3]


async def test_the_only_node_forgets_itself(tmp_path: Path) -> None:
    """Nothing is led then, and what is told of the cluster and its quorum still makes sense."""
    async with running_cluster(tmp_path, 1) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])

        await cluster.client(1).send(UnregisterBrokerRequest(broker_id=1))

        quorum = DescribeQuorumRequest(
            topics=[
                TopicRequest(
                    topic_name="__cluster_metadata",
                    partitions=[PartitionRequest(partition_index=0)],
                )
            ]
        )
        answer = await cluster.client(1).send(quorum, 2)
        assert answer.topics[0].partitions[0].leader_id == -1
        answer = await cluster.client(1).send(
            FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4
        )
        assert answer.coordinators[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert await _nodes(cluster) == []
        assert _partition(cluster).leader == -1
