"""ListOffsets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import trio
import trio.testing

from protocol.compression import Codec
from protocol.errors import ErrorCode
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.batches import TIMESTAMP_MS, batch
from tests.client import Client, RunningNode, running_node
from tests.held_offload import HeldOffload
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

VERSION = 11


def _request(*timestamps: int, partition: int | None = None) -> ListOffsetsRequest:
    partitions = [
        ListOffsetsPartition(
            partition_index=index if partition is None else partition, timestamp=timestamp
        )
        for index, timestamp in enumerate(timestamps)
    ]
    return ListOffsetsRequest(
        replica_id=-1, topics=[ListOffsetsTopic(name="t", partitions=partitions)]
    )


async def _list(client: Client, timestamp: int, version: int = VERSION) -> tuple[int, int, int]:
    response = await client.send(_request(timestamp), version)
    (partition,) = response.topics[0].partitions
    return partition.error_code, partition.offset, partition.timestamp


async def _three_batches(node: RunningNode) -> Client:
    node.controller.create_topic("t")
    client = node.client()
    for age in (0, 10, 5):
        records = batch(b"a", b"b", timestamp=TIMESTAMP_MS + age)
        await client.send(produce_request("t", records), PRODUCE_VERSION)
    return client


@pytest.mark.parametrize("version", range(1, 12))
async def test_first_and_last(tmp_path: Path, version: int) -> None:
    """Earliest is the log start offset, latest the high watermark, in every version."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)

        assert await _list(client, -2, version) == (0, 0, -1)
        assert await _list(client, -1, version) == (0, 6, -1)


@pytest.mark.parametrize(
    ("after", "offset", "found"), [(0, 0, 0), (-5, 0, 0), (1, 2, 10), (10, 2, 10)]
)
async def test_by_timestamp(tmp_path: Path, after: int, offset: int, found: int) -> None:
    """The first record at or after the timestamp, with its own timestamp."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)

        result = await _list(client, TIMESTAMP_MS + after)

        assert result == (0, offset, TIMESTAMP_MS + found)


async def test_no_matching_record_is_no_error(tmp_path: Path) -> None:
    """No record has that timestamp or a later one; nothing is tiered."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)

        assert await _list(client, TIMESTAMP_MS + 11) == (0, -1, -1)
        assert await _list(client, -5) == (0, -1, -1)
        assert await _list(client, -6) == (0, -1, -1)


async def test_the_largest_timestamp(tmp_path: Path) -> None:
    """-3 finds the record with the largest timestamp (KIP-734)."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)

        assert await _list(client, -3) == (0, 2, TIMESTAMP_MS + 10)


@pytest.mark.parametrize(("timestamp", "version"), [(-3, 6), (-4, 7), (-5, 8), (-6, 10), (-7, 11)])
async def test_a_timestamp_newer_than_the_version_is_refused(
    tmp_path: Path, timestamp: int, version: int
) -> None:
    """Each special timestamp has its first version."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)

        assert await _list(client, timestamp, version) == (ErrorCode.UNSUPPORTED_VERSION, -1, -1)


async def test_a_partition_named_twice_is_refused(tmp_path: Path) -> None:
    """As in Kafka, neither occurrence has an offset, and there is one error."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)

        response = await client.send(_request(-1, -2, partition=0), VERSION)

        codes = [each.error_code for each in response.topics[0].partitions]
        assert codes == [ErrorCode.INVALID_REQUEST]


async def test_a_topic_named_twice_is_in_the_response_once(tmp_path: Path) -> None:
    """With the partitions of both; a topic without partitions is omitted."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)
        request = _request(-1, -1, partition=0)
        (topic,) = request.topics
        elsewhere = replace(topic, partitions=[replace(topic.partitions[0], partition_index=7)])
        once = replace(topic, partitions=topic.partitions[:1])
        request.topics = [once, elsewhere, replace(topic, name="other", partitions=[])]

        (result,) = (await client.send(request, VERSION)).topics

        assert [(each.partition_index, each.error_code) for each in result.partitions] == [
            (0, ErrorCode.NONE),
            (7, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ]


async def test_unknown_partitions_and_epochs(tmp_path: Path) -> None:
    """Partitions that do not exist, and epochs that the node does not lead yet."""
    async with running_node(tmp_path) as node:
        client = await _three_batches(node)
        request = _request(-1, -1)
        request.topics[0].partitions[0].current_leader_epoch = 3

        response = await client.send(request, VERSION)

        codes = [each.error_code for each in response.topics[0].partitions]
        assert codes == [ErrorCode.UNKNOWN_LEADER_EPOCH, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


async def test_a_long_batch_is_decompressed_in_a_worker_thread(tmp_path: Path) -> None:
    """Other clients are served meanwhile."""
    offload = HeldOffload()
    values = [Record(None, b"", timestamp=TIMESTAMP_MS + i) for i in range(5)]
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        client, other = node.client(), node.client()
        await other.send(produce_request("t", build_batch(values, codec=Codec.GZIP)), 9)

        client.start(_request(TIMESTAMP_MS + 3), 5)
        await trio.testing.wait_all_tasks_blocked()
        latest = await other.send(_request(-1), 5)
        offload.finish_next()
        found = await client.receive()

        assert latest.topics[0].partitions[0].offset == 5
        result = found.topics[0].partitions[0]
        assert (result.offset, result.timestamp) == (3, TIMESTAMP_MS + 3)


async def test_a_topic_that_is_deleted_during_a_search_is_unknown(tmp_path: Path) -> None:
    """The result of the thread is not returned."""
    offload = HeldOffload()
    async with running_node(tmp_path, offload=offload) as node:
        node.controller.create_topic("t")
        client = node.client()
        await client.send(produce_request("t", batch(b"a", codec=Codec.GZIP)), 9)

        client.start(_request(0), 5)
        await trio.testing.wait_all_tasks_blocked()
        node.controller.delete_topic("t")
        offload.finish_next()
        result = (await client.receive()).topics[0].partitions[0]

        assert (result.error_code, result.offset) == (ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, -1)
