"""Produce requests of many partitions."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.batches import batch
from tests.client import RunningNode, running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

PARTITIONS = 100


def numbered(acks: int = -1) -> ProduceRequest:
    """One record to each partition, with the partition's number as its value."""
    data = [
        PartitionProduceData(index=each, records=batch(b"%05d" % each))
        for each in range(PARTITIONS)
    ]
    return ProduceRequest(
        acks=acks, timeout_ms=1000, topic_data=[TopicProduceData(name="t", partition_data=data)]
    )


def prepare(node: RunningNode) -> None:
    """Create the topic, and let each call of the step queue's clock take a millisecond."""
    node.controller.create_topic("t", partitions=PARTITIONS)
    node.cluster.steps.now_ms = count().__next__


def ends(node: RunningNode) -> list[int]:
    """The log end of each partition."""
    partitions = node.node.replicas.partitions
    keys = (TopicPartition("t", each) for each in range(PARTITIONS))
    return [partitions[key].log.log_end_offset for key in keys]


async def begun(node: RunningNode) -> None:
    """Wait until some partitions have their record and others do not."""
    while not any(ends(node)):
        await trio.lowlevel.checkpoint()
    assert not all(ends(node))


async def test_many_partitions_are_appended_to_in_slices(tmp_path: Path) -> None:
    """There is one response; other clients are served between the slices."""
    async with running_node(tmp_path) as node:
        prepare(node)
        client, other = node.client(), node.client()
        client.start(numbered(), PRODUCE_VERSION)
        await begun(node)
        await other.send(produce_request("t", batch(b"z" * 20_000)), PRODUCE_VERSION)
        assert client.nothing_arrived()

        (topic,) = (await client.receive()).responses
        assert [each.index for each in topic.partition_responses] == list(range(PARTITIONS))
        assert {each.error_code for each in topic.partition_responses} == {0}
        assert node.cluster.steps.slices_run > PARTITIONS / 2


async def test_records_are_copied_from_the_shared_buffer(tmp_path: Path) -> None:
    """Other requests use that buffer between the slices."""
    async with running_node(tmp_path) as node:
        prepare(node)
        client, other = node.client(), node.client()
        client.start(numbered(), PRODUCE_VERSION)
        await begun(node)
        await other.send(produce_request("gone", batch(b"z" * 60_000)), PRODUCE_VERSION)
        await client.receive()

        for each in range(PARTITIONS):
            (path,) = (tmp_path / f"node-1/t-{each}").glob("*.log")
            assert b"%05d" % each in path.read_bytes()


async def test_all_records_are_appended_after_a_disconnect(tmp_path: Path) -> None:
    """With acks=0 a client may disconnect at once."""
    async with running_node(tmp_path) as node:
        prepare(node)
        client = node.client()
        client.start(numbered(acks=0), PRODUCE_VERSION)
        await begun(node)
        client.close()
        while len(node.cluster.steps):
            await trio.lowlevel.checkpoint()

        assert all(ends(node))


async def test_a_failed_partition_of_many_closes_the_connection_without_acks(
    tmp_path: Path,
) -> None:
    """As with few partitions."""
    async with running_node(tmp_path) as node:
        prepare(node)
        client = node.client()
        request = numbered(acks=0)
        request.topic_data[0].partition_data[-1].index = PARTITIONS
        client.start(request, PRODUCE_VERSION)

        assert await client.closed()
        assert sum(map(bool, ends(node))) == PARTITIONS - 1


async def test_a_waiting_consumer_gets_the_records_of_a_slice(tmp_path: Path) -> None:
    """Before the last partition has its record."""
    async with running_node(tmp_path) as node:
        prepare(node)
        client = node.client()
        client.start(numbered(), PRODUCE_VERSION)
        await begun(node)
        assert not len(node.node.replicas.actions)
        await client.receive()
