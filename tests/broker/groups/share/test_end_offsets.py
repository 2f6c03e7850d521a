"""The end offsets of partitions, which their leaders are asked for."""

from __future__ import annotations

from uuid import UUID

import pytest

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import MetadataImage, PartitionRegistration, TopicImage
from broker.groups.share.end_offsets import EndOffset, EndOffsets
from protocol.errors import ErrorCode
from protocol.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from tests.broker.coordinators.scripted_broker import pass_ms, sending, settle

pytestmark = pytest.mark.anyio


def image_of(leader: int) -> MetadataImage:
    """A topic with two partitions."""
    image = MetadataImage("cluster")
    partition = PartitionRegistration((leader,), (leader,), leader)
    image.put(TopicImage("t", UUID(int=1), {}, (partition, partition)))
    return image


async def test_an_exception_of_a_callback_affects_no_other_question() -> None:
    """They are in one request; the exception is reported."""
    image = image_of(leader=2)
    found: list[EndOffset] = []

    def fail(_end: EndOffset) -> None:
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

    assert found == [EndOffset(8)]
    assert [str(error) for error in node.errors] == ["a callback"]


@pytest.mark.parametrize("partition", [TopicPartition("t", 0), TopicPartition("unknown", 0)])
async def test_without_a_live_leader(partition: TopicPartition) -> None:
    """The error is found at once, with Kafka's message; node 9 is not alive."""
    found: list[EndOffset] = []

    async with sending() as (node, brokers, _):
        offsets = EndOffsets(node.sender_parts(brokers), lambda: image_of(leader=9))
        offsets.find(partition, found.append)

    assert [end.error for end in found] == [ErrorCode.LEADER_NOT_AVAILABLE]
    assert (found[0].message or "").startswith("There is no leader for this topic-partition")


async def test_a_refusal_of_the_leader() -> None:
    """It is the error; a partition that the response lacks is unknown."""
    found: list[EndOffset] = []

    async with sending() as (node, brokers, nursery):
        offsets = EndOffsets(node.sender_parts(brokers), lambda: image_of(leader=2))
        nursery.start_soon(offsets.run)
        for index in (0, 1):
            offsets.find(TopicPartition("t", index), found.append)
        await settle()
        brokers.last(2).request()
        refused = ListOffsetsPartitionResponse(
            partition_index=0, error_code=ErrorCode.NOT_LEADER_OR_FOLLOWER
        )
        topic = ListOffsetsTopicResponse(name="t", partitions=[refused])
        await brokers.last(2).respond(ListOffsetsResponse(topics=[topic]))

    errors = [end.error for end in found]
    assert errors == [ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]


async def test_a_request_without_a_response_is_sent_again() -> None:
    """After 1, 2, 4, 8 and 16 seconds; then the error is that of a disconnect."""
    found: list[EndOffset] = []

    async with sending() as (node, brokers, nursery):
        brokers.down.add(2)
        offsets = EndOffsets(node.sender_parts(brokers), lambda: image_of(leader=2))
        nursery.start_soon(offsets.run)
        offsets.find(TopicPartition("t", 0), found.append)
        await pass_ms(30_900)
        assert found == []
        await pass_ms(2_000)

    assert found == [EndOffset(error=ErrorCode.NETWORK_EXCEPTION)]
