"""The response to a Produce request."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from tests.batches import batch
from tests.client import running_node
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("partitions", [2, 20])
async def test_a_topic_named_twice_is_in_the_response_once(tmp_path: Path, partitions: int) -> None:
    """Its partitions are together, in the request's order, whether it takes slices or not."""
    data = [
        TopicProduceData(
            name=name, partition_data=[PartitionProduceData(index=index, records=batch(b"a"))]
        )
        for index in range(partitions // 2)
        for name in ("t", "u")
    ]
    async with running_node(tmp_path) as node:
        for name in ("t", "u"):
            node.controller.create_topic(name, partitions=partitions // 2)
        request = ProduceRequest(acks=-1, timeout_ms=1000, topic_data=data)
        response = await node.client().send(request, PRODUCE_VERSION)

    assert [topic.name for topic in response.responses] == ["t", "u"]
    for topic in response.responses:
        indexes = [partition.index for partition in topic.partition_responses]
        assert indexes == list(range(partitions // 2))


async def test_an_error_with_acks_0_closes_the_connection(tmp_path: Path) -> None:
    """No response can contain the error, so the connection is closed, as in Kafka."""
    async with running_node(tmp_path) as node:
        client = node.client()

        client.start(produce_request("nowhere", batch(b"a"), acks=0), PRODUCE_VERSION)

        assert await client.closed()


async def test_each_refused_record_is_in_the_response(tmp_path: Path) -> None:
    """As in Kafka; the response is built in slices."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.cluster.steps.now_ms = count().__next__
        records = build_batch([Record(None, b"", timestamp=1 << 60)] * 2000)
        response = await node.client().send(produce_request("t", records), PRODUCE_VERSION)

        (partition,) = response.responses[0].partition_responses
        assert partition.error_code == ErrorCode.INVALID_TIMESTAMP
        assert [each.batch_index for each in partition.record_errors] == list(range(2000))
        assert node.cluster.steps.slices_run > 1000
