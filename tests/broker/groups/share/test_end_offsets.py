"""The end offsets of partitions, which their leaders are asked for."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.groups.share.end_offsets import EndOffsets
from protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tests.broker.coordinators.scripted_broker import sending, settle

pytestmark = pytest.mark.anyio


async def test_an_exception_of_a_callback_affects_no_other_question() -> None:
    """They are in one request; the exception is reported."""
    image = MetadataImage("cluster")
    led_by_2 = PartitionRegistration((2,), (2,), 2)
    image.put(TopicImage("t", UUID(int=1), {}, (led_by_2, led_by_2)))
    found: list[int | None] = []

    def fail(_offset: int | None) -> None:
        raise ValueError("a callback")

    async with sending() as (node, brokers, nursery):
        offsets = EndOffsets(node.sender_parts(brokers), lambda: image)
        nursery.start_soon(offsets.run)
        offsets.find(TopicPartition("t", 0), fail)
        offsets.find(TopicPartition("t", 1), found.append)
        await settle()
        brokers.last(2).request()
        parts = [ListOffsetsPartitionResponse(partition_index=n, offset=7 + n) for n in (0, 1)]
        topic = ListOffsetsTopicResponse(name="t", partitions=parts)
        await brokers.last(2).respond(ListOffsetsResponse(topics=[topic]))

    assert found == [8]
    assert [str(error) for error in node.errors] == ["a callback"]
