"""UnregisterBroker, compared with Kafka 4.3.1 with three nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import PartitionRegistration
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
    """The nodes in the first node's response, including fenced ones."""
    request = DescribeClusterRequest(
        include_cluster_authorized_operations=False, include_fenced_brokers=True
    )
    result = await cluster.client(1).send(request, 2)
    return [each.broker_id for each in result.brokers]


async def test_an_unknown_node_is_an_error(tmp_path: Path) -> None:
    """With Kafka's code and message."""
    async with running_node(tmp_path) as node:
        result = await node.client().send(UnregisterBrokerRequest(broker_id=7))

        assert result.error_code == ErrorCode.BROKER_ID_NOT_REGISTERED
        assert result.error_message == "Broker ID 7 is not currently registered"


async def test_a_stopped_node_is_removed(tmp_path: Path) -> None:
    """No node describes it, until it is started again and catches up."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(3, 2)])
        await cluster.cluster.stop(3)

        result = await cluster.client(1).send(UnregisterBrokerRequest(broker_id=3))
        again = await cluster.client(1).send(UnregisterBrokerRequest(broker_id=3))

        assert (result.error_code, result.error_message) == (0, "")
        assert again.error_code == ErrorCode.BROKER_ID_NOT_REGISTERED
        assert await _nodes(cluster) == [1, 2]
        await cluster.cluster.start(3)
        assert await _nodes(cluster) == [1, 2, 3]


async def test_an_alive_node_loses_its_leaderships(tmp_path: Path) -> None:
    """It continues to respond, names the new leaders, and registers again when it is restarted."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(3, 2)])

        await cluster.client(1).send(UnregisterBrokerRequest(broker_id=3))

        assert await _nodes(cluster) == [1, 2]
        assert (_partition(cluster).leader, _partition(cluster).isr) == (2, (2,))
        result = await cluster.client(3).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        (produced,) = result.responses[0].partition_responses
        assert produced.error_code == ErrorCode.NOT_LEADER_OR_FOLLOWER
        transactions = FindCoordinatorRequest(key_type=1, coordinator_keys=["x"])
        result = await cluster.client(3).send(transactions, 4)
        assert result.coordinators[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        await cluster.cluster.stop(3)
        await cluster.cluster.start(3)
        assert await _nodes(cluster) == [1, 2, 3]


async def test_the_only_node_unregisters_itself(tmp_path: Path) -> None:
    """No partition has a leader then, and cluster and quorum can still be described."""
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
        result = await cluster.client(1).send(quorum, 2)
        assert result.topics[0].partitions[0].leader_id == -1
        result = await cluster.client(1).send(
            FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4
        )
        assert result.coordinators[0].error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert await _nodes(cluster) == []
        assert _partition(cluster).leader == -1
