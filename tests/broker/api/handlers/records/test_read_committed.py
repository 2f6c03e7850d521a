"""Fetch, ListOffsets and DeleteRecords with transactions, as clients with ``read_committed``."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.fetch import PartitionData
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from tests.batches import batch
from tests.broker.storage.logs import NOW_MS, marker, transactional
from tests.client import RunningNode, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

KEY = TopicPartition("t", 0)


def begin(node: RunningNode, producer_id: int = 7) -> None:
    """Write two records of a transaction."""
    replicas = node.node.replicas
    guard = replicas.partitions[KEY].maybe_start_transaction_verification(producer_id, 0, 0, True)
    sent = {KEY: transactional(0, 0, producer_id)}
    replicas.append_records(1000, 1, sent, 13, lambda _: None, {KEY: guard})
    replicas.actions.try_complete_actions()


def end(node: RunningNode, producer_id: int = 7, *, abort: bool) -> None:
    """Write the marker of a transaction."""
    replicas = node.node.replicas
    sent = {KEY: marker(0, producer_id, epoch=1, abort=abort)}
    replicas.append_markers(1000, sent, 2, lambda _: None)
    replicas.actions.try_complete_actions()


async def fetched(node: RunningNode, version: int = FETCH_VERSION) -> PartitionData:
    request = fetch_request("t", 0, max_wait_ms=500)
    request.isolation_level = 1
    response = await node.client().send(request, version)
    (data,) = response.responses[0].partitions
    assert isinstance(data, PartitionData)
    return data


async def listed(node: RunningNode, timestamp: int, isolation_level: int) -> tuple[int, int]:
    partitions = [ListOffsetsPartition(partition_index=0, timestamp=timestamp)]
    request = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation_level,
        topics=[ListOffsetsTopic(name="t", partitions=partitions)],
    )
    response = await node.client().send(request, 11)
    (partition,) = response.topics[0].partitions
    assert partition.error_code == ErrorCode.NONE
    return partition.offset, partition.timestamp


@pytest.mark.parametrize("version", range(4, 13))
async def test_a_fetch_has_the_aborted_transactions(tmp_path: Path, version: int) -> None:
    """Producer and first offset, in the order of the markers; a committed one is not there."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        for producer_id in (7, 8, 9):
            begin(node, producer_id)
        end(node, 9, abort=True)
        end(node, 7, abort=True)
        end(node, 8, abort=False)

        data = await fetched(node, version)

        assert data.last_stable_offset == data.high_watermark == 9
        found = [(each.producer_id, each.first_offset) for each in data.aborted_transactions or ()]
        assert found == [(9, 4), (7, 0)]


async def test_a_waiting_fetch_gets_the_transaction_when_it_ends(tmp_path: Path) -> None:
    """Not before, although the records are replicated."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        request = fetch_request("t", 0, max_wait_ms=60_000)
        request.isolation_level = 1
        client.start(request, FETCH_VERSION)
        begin(node)
        await trio.testing.wait_all_tasks_blocked()
        assert client.nothing_arrived()

        end(node, abort=False)
        response = await client.receive()

        (data,) = response.responses[0].partitions
        assert (data.last_stable_offset, data.aborted_transactions) == (3, [])
        assert len(data.records) > 0


async def test_the_latest_committed_offset_is_the_last_stable_one(tmp_path: Path) -> None:
    """Without isolation it is the high watermark."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await node.client().send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        begin(node)

        assert await listed(node, -1, 1) == (1, -1)
        assert await listed(node, -1, 0) == (3, -1)


@pytest.mark.parametrize("timestamp", [NOW_MS, -3])
async def test_a_record_of_an_open_transaction_is_not_found(tmp_path: Path, timestamp: int) -> None:
    """Neither by its timestamp nor as the latest one; there is no error."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        begin(node)

        assert await listed(node, timestamp, 1) == (-1, -1)
        assert await listed(node, timestamp, 0) == (0, NOW_MS)


async def test_records_of_an_open_transaction_can_be_deleted(tmp_path: Path) -> None:
    """Its other records remain undecided from the log start on."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        begin(node)
        topic = DeleteRecordsTopic(
            name="t", partitions=[DeleteRecordsPartition(partition_index=0, offset=1)]
        )

        response = await node.client().send(DeleteRecordsRequest(topics=[topic], timeout_ms=1000))

        (partition,) = response.topics[0].partitions
        assert (partition.error_code, partition.low_watermark) == (ErrorCode.NONE, 1)
        assert await listed(node, -1, 1) == (1, -1)
        end(node, abort=True)
        assert await listed(node, -1, 1) == (3, -1)
