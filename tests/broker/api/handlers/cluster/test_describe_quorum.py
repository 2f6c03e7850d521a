"""DescribeQuorum."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.describe_quorum import (
    DescribeQuorumRequest,
    PartitionRequest,
    TopicRequest,
)
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


def _request(topic: str = "__cluster_metadata", *partitions: int) -> DescribeQuorumRequest:
    return DescribeQuorumRequest(
        topics=[
            TopicRequest(
                topic_name=topic,
                partitions=[PartitionRequest(partition_index=each) for each in partitions],
            )
        ]
    )


@pytest.mark.parametrize("version", range(3))
async def test_the_controller_leads_and_the_others_observe(tmp_path: Path, version: int) -> None:
    """The leader is the controller of Metadata responses; from v2 with its address."""
    async with running_cluster(tmp_path, 3) as cluster:
        response = await cluster.client(2).send(_request("__cluster_metadata", 0), version)

        (quorum,) = response.topics[0].partitions
        assert (quorum.error_code, quorum.leader_id) == (0, 1)
        assert [each.replica_id for each in quorum.current_voters] == [1]
        assert [each.replica_id for each in quorum.observers] == [2, 3]
        assert quorum.high_watermark == cluster.controller.log_end_offset
        assert [each.node_id for each in response.nodes] == ([1] if version == 2 else [])


async def test_a_node_with_old_metadata_has_a_lag(tmp_path: Path) -> None:
    """The number of changes that it has not received."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.node(2).feed.hold()
        cluster.controller.create_topic("t", assignments=[(1,)])

        response = await cluster.client(1).send(_request("__cluster_metadata", 0))

        (quorum,) = response.topics[0].partitions
        (behind,) = quorum.observers
        assert quorum.high_watermark - behind.log_end_offset == 1
        assert behind.last_caught_up_timestamp == -1


@pytest.mark.parametrize(
    ("topic", "partitions"),
    [("t", [0]), ("__cluster_metadata", [1]), ("__cluster_metadata", [0, 1])],
)
async def test_other_partitions_have_no_quorum(
    tmp_path: Path, topic: str, partitions: list[int]
) -> None:
    """UNKNOWN_TOPIC_OR_PARTITION for each of them, as in Kafka 4.3.1."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(topic, *partitions))

        assert [
            (each.partition_index, each.error_code) for each in response.topics[0].partitions
        ] == [(index, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION) for index in partitions]
