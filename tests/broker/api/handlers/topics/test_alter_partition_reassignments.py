"""AlterPartitionReassignments."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from tests.batches import batch
from tests.client import RunningCluster, running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


async def _move(cluster: RunningCluster, replicas: list[int] | None, topic: str = "t") -> int:
    requested = ReassignablePartition(partition_index=0, replicas=replicas)
    request = AlterPartitionReassignmentsRequest(
        topics=[ReassignableTopic(name=topic, partitions=[requested])]
    )
    [response] = (await cluster.client(1).send(request)).responses
    [partition] = response.partitions
    return int(partition.error_code)


async def test_a_partition_moves_with_its_records(tmp_path: Path) -> None:
    """The new replica fetches all records; then the log of the old one is deleted."""
    key = TopicPartition("t", 0)
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        await cluster.client(1).send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)

        error = await _move(cluster, [1, 3])
        await trio.sleep(2)

        assert error == ErrorCode.NONE
        assert cluster.controller.image.topics["t"].partitions[0].replicas == (1, 3)
        assert cluster.node(3).replicas.partitions[key].log.log_end_offset == 2
        assert key not in cluster.node(2).replicas.partitions


async def test_the_leader_can_be_moved_away(tmp_path: Path) -> None:
    """Another replica leads, and appends records."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])
        await cluster.client(1).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)

        await _move(cluster, [3])
        await trio.sleep(2)
        response = await cluster.client(3).send(produce_request("t", batch(b"b")), PRODUCE_VERSION)

        [produced] = response.responses[0].partition_responses
        assert (produced.error_code, produced.base_offset) == (ErrorCode.NONE, 1)


async def test_each_partition_has_its_own_error(tmp_path: Path) -> None:
    """Unknown topics, unknown nodes, no move to cancel."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])

        assert await _move(cluster, [1], "nope") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert await _move(cluster, [1, 9]) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
        assert await _move(cluster, []) == ErrorCode.INVALID_REPLICA_ASSIGNMENT
        assert await _move(cluster, None) == ErrorCode.NO_REASSIGNMENT_IN_PROGRESS


async def test_a_partition_named_twice_has_both_results(tmp_path: Path) -> None:
    """Each move is checked on its own, and the last valid one is made."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(1,)])
        moves = [
            ReassignablePartition(partition_index=0, replicas=[1]),
            ReassignablePartition(partition_index=0, replicas=[]),
        ]
        request = AlterPartitionReassignmentsRequest(
            topics=[ReassignableTopic(name="t", partitions=moves)]
        )

        [response] = (await cluster.client(1).send(request)).responses

        assert [each.error_code for each in response.partitions] == [
            ErrorCode.NONE,
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
        ]


@pytest.mark.parametrize("timeout_ms", [1000, 0, -1])
async def test_nothing_is_checked_without_topics(tmp_path: Path, timeout_ms: int) -> None:
    """The response is Kafka's default one, with an empty message."""
    async with running_cluster(tmp_path, 1) as cluster:
        request = AlterPartitionReassignmentsRequest(topics=[], timeout_ms=timeout_ms)

        response = await cluster.client(1).send(request)

        assert (response.error_code, response.error_message) == (ErrorCode.NONE, "")
