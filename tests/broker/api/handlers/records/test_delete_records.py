"""DeleteRecords on one node; `test_deletions` has the scenarios with followers."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.storage.directories.checkpointed_offsets import LOG_STARTS
from broker.storage.files.checkpoints import read_offset_checkpoint
from protocol.errors import ErrorCode
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from tests.batches import batch
from tests.client import Client, RunningNode, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio


def _request(*offsets: int, topic: str = "t") -> DeleteRecordsRequest:
    """A deletion in partitions of *topic*, from partition 0 on."""
    partitions = [
        DeleteRecordsPartition(partition_index=index, offset=offset)
        for index, offset in enumerate(offsets)
    ]
    return DeleteRecordsRequest(
        topics=[DeleteRecordsTopic(name=topic, partitions=partitions)], timeout_ms=1000
    )


async def _delete(
    client: Client, request: DeleteRecordsRequest, version: int | None = None
) -> list[tuple[int, int]]:
    """Error and low watermark of each partition, sorted; the response's order has no meaning."""
    response = await client.send(request, version)
    [topic] = response.topics
    partitions = sorted(topic.partitions, key=lambda each: each.partition_index)
    return [(each.error_code, each.low_watermark) for each in partitions]


async def _three_records(running: RunningNode) -> Client:
    running.controller.create_topic("t")
    client = running.client()
    await client.send(produce_request("t", batch(b"a", b"b", b"c")), PRODUCE_VERSION)
    return client


@pytest.mark.parametrize("version", range(3))
async def test_a_single_replica_completes_at_once(tmp_path: Path, version: int) -> None:
    """The low watermark is the requested offset, and the records below it are deleted."""
    async with running_node(tmp_path) as running:
        client = await _three_records(running)

        assert await _delete(client, _request(2), version) == [(ErrorCode.NONE, 2)]

        below = await client.send(fetch_request("t", 1), FETCH_VERSION)
        assert below.responses[0].partitions[0].error_code == ErrorCode.OFFSET_OUT_OF_RANGE


async def test_a_deletion_survives_a_crash(tmp_path: Path) -> None:
    """The log start offset is on the disk before the response is sent."""
    async with running_node(tmp_path) as running:
        client = await _three_records(running)
        await _delete(client, _request(2))

        [directory] = running.node.logs.directories
        written = read_offset_checkpoint(directory.path / LOG_STARTS)
        assert written == {TopicPartition("t", 0): 2}


async def test_a_lower_offset_changes_nothing(tmp_path: Path) -> None:
    """No error, and the present low watermark."""
    async with running_node(tmp_path) as running:
        client = await _three_records(running)
        await _delete(client, _request(2))

        assert await _delete(client, _request(1)) == [(ErrorCode.NONE, 2)]


async def test_minus_one_means_the_high_watermark(tmp_path: Path) -> None:
    """All records below it are deleted."""
    async with running_node(tmp_path) as running:
        client = await _three_records(running)

        assert await _delete(client, _request(-1)) == [(ErrorCode.NONE, 3)]


async def test_each_partition_has_its_own_error(tmp_path: Path) -> None:
    """Above the high watermark, below zero, unknown: low watermark -1; the others succeed."""
    async with running_node(tmp_path) as running:
        client = await _three_records(running)

        assert await _delete(client, _request(4)) == [(ErrorCode.OFFSET_OUT_OF_RANGE, -1)]
        assert await _delete(client, _request(-2)) == [(ErrorCode.OFFSET_OUT_OF_RANGE, -1)]
        assert await _delete(client, _request(1, 0)) == [
            (ErrorCode.NONE, 1),
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1),
        ]
        assert await _delete(client, _request(0, topic="gone")) == [
            (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
        ]


async def test_internal_topics_are_refused(tmp_path: Path) -> None:
    """Kafka's testDeleteRecordsInternalTopicDeleteDisallowed."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("__consumer_offsets")

        assert await _delete(running.client(), _request(-1, topic="__consumer_offsets")) == [
            (ErrorCode.INVALID_TOPIC_EXCEPTION, -1)
        ]


async def test_a_request_without_partitions(tmp_path: Path) -> None:
    """The response has none either."""
    async with running_node(tmp_path) as running:
        response = await running.client().send(DeleteRecordsRequest(topics=[], timeout_ms=1000))

        assert response.topics == []


async def test_a_topic_that_is_only_compacted_is_refused(tmp_path: Path) -> None:
    """Kafka's PolicyViolationException: its records are not deleted by age or size."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t", configs={"cleanup.policy": "compact"})

        results = await _delete(running.client(), _request(0))

        assert results == [(ErrorCode.POLICY_VIOLATION, -1)]


async def test_a_topic_without_a_cleanup_policy_can_have_its_records_deleted(
    tmp_path: Path,
) -> None:
    """Only a topic that is compacted, and whose records are not deleted by age, is refused."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t", configs={"cleanup.policy": ""})
        client = running.client()
        await client.send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)

        assert await _delete(client, _request(1)) == [(ErrorCode.NONE, 1)]
        assert await _delete(client, _request(3)) == [(ErrorCode.OFFSET_OUT_OF_RANGE, -1)]
