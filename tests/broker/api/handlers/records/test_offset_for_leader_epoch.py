"""OffsetForLeaderEpoch (mirrors Kafka's OffsetsForLeaderEpochRequestTest)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio.testing

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from tests.batches import batch
from tests.client import Client, RunningCluster, running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


def _request(
    epoch: int, *, current: int = -1, topic: str = "t", partition: int = 0
) -> OffsetForLeaderEpochRequest:
    requested = OffsetForLeaderPartition(
        partition=partition, current_leader_epoch=current, leader_epoch=epoch
    )
    return OffsetForLeaderEpochRequest(
        topics=[OffsetForLeaderTopic(topic=topic, partitions=[requested])]
    )


async def _send(client: Client, request: OffsetForLeaderEpochRequest, version: int = 4) -> Any:
    response = await client.send(request, version)
    [topic] = response.topics
    [result] = topic.partitions
    return result.error_code, result.leader_epoch, result.end_offset


async def _three_epochs(cluster: RunningCluster) -> tuple[Client, int]:
    """Two records in epoch 0, none in 1, one in 2; a client of the leader, and its epoch."""
    cluster.controller.create_topic("t", assignments=[(1, 2)])
    await cluster.client(1).send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)
    await cluster.cluster.stop(1)
    await cluster.cluster.start(1)
    await trio.testing.wait_all_tasks_blocked()
    await cluster.cluster.stop(2)
    client = cluster.client(1)
    await client.send(produce_request("t", batch(b"c")), PRODUCE_VERSION)
    partition = cluster.node(1).replicas.partitions[TopicPartition("t", 0)]
    return client, partition.leader_epoch


@pytest.mark.parametrize("version", [2, 3, 4])
async def test_the_end_offset_of_an_epoch(tmp_path: Path, version: int) -> None:
    """It is the start of the next epoch; the latest epoch ends at the log end."""
    async with running_cluster(tmp_path) as cluster:
        client, epoch = await _three_epochs(cluster)

        assert await _send(client, _request(0), version) == (ErrorCode.NONE, 0, 2)
        assert await _send(client, _request(epoch), version) == (ErrorCode.NONE, epoch, 3)


async def test_an_epoch_without_records_ends_where_the_previous_one_does(tmp_path: Path) -> None:
    """The result is the largest epoch that is not above the requested one."""
    async with running_cluster(tmp_path) as cluster:
        client, epoch = await _three_epochs(cluster)
        assert epoch >= 2

        assert await _send(client, _request(1)) == (ErrorCode.NONE, 0, 2)


async def test_a_future_epoch_is_unknown(tmp_path: Path) -> None:
    """-1 and -1, without an error."""
    async with running_cluster(tmp_path) as cluster:
        client, epoch = await _three_epochs(cluster)

        assert await _send(client, _request(epoch + 1)) == (ErrorCode.NONE, -1, -1)


async def test_the_current_leader_and_epoch_are_required(tmp_path: Path) -> None:
    """Stale and future epochs, a follower, and unknown partitions are errors."""
    async with running_cluster(tmp_path) as cluster:
        client, epoch = await _three_epochs(cluster)

        stale = await _send(client, _request(0, current=epoch - 1))
        future = await _send(client, _request(0, current=epoch + 1))
        elsewhere = await _send(cluster.client(3), _request(0))
        gone = await _send(client, _request(0, topic="gone"))
        beyond = await _send(client, _request(0, partition=1))

        assert stale == (ErrorCode.FENCED_LEADER_EPOCH, -1, -1)
        assert future == (ErrorCode.UNKNOWN_LEADER_EPOCH, -1, -1)
        assert elsewhere == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1, -1)
        assert gone == beyond == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1, -1)
