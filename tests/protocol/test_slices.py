"""Tests that decoding and encoding in slices gives the same messages."""

from __future__ import annotations

from collections.abc import Generator
from random import Random
from typing import Any

import pytest

from protocol.codec import Malformed, Output, StringTooLong, Unencodable, decode, encode
from protocol.messages import REQUESTS, RESPONSES
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.metadata import (
    EncodedMetadataResponse,
    MetadataRequest,
    MetadataRequestTopic,
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from protocol.slices import decode_slices, encode_item, encode_slices
from protocol.wire import ITEMS_PER_YIELD
from tests.protocol.random_messages import random_message


def run(slices: Generator[None, None, Any]) -> tuple[Any, int]:
    """The generator's result, and the number of its yields."""
    yields = 0
    while True:
        try:
            next(slices)
        except StopIteration as end:
            return end.value, yields
        yields += 1


@pytest.mark.parametrize("cls", [*REQUESTS.values(), *RESPONSES.values()])
def test_every_message_is_the_same(cls: Any) -> None:
    """Random messages of every class and version are encoded and decoded alike."""
    random = Random(7)
    for version in cls.__spec__.versions:
        message = random_message(random, cls, version)
        raw = encode(message, version)
        out = Output()
        run(encode_slices(out, message, version))
        assert out.joined() == raw
        found, _ = run(decode_slices(cls, version, memoryview(raw), items_max=1 << 20))
        assert found == decode(cls, version, raw)


def test_a_yield_comes_after_few_items() -> None:
    """A long array is not processed in a single slice."""
    topics = [MetadataRequestTopic(name="t")] * (10 * ITEMS_PER_YIELD)
    raw = memoryview(encode(MetadataRequest(topics=topics), 12))

    _, yields = run(decode_slices(MetadataRequest, 12, raw, items_max=1000))
    assert yields == 11


def test_arrays_within_arrays_yield_too() -> None:
    """A response of one topic with many partitions is not encoded in a single slice."""
    partition = MetadataResponsePartition(
        partition_index=0, leader_id=1, leader_epoch=0, replica_nodes=[1], isr_nodes=[1]
    )
    topic = MetadataResponseTopic(name="t", partitions=[partition] * (10 * ITEMS_PER_YIELD))
    response = MetadataResponse(brokers=[], cluster_id="c", controller_id=1, topics=[topic])

    assert run(encode_slices(Output(), response, 12))[1] == 10


def test_items_are_counted_over_all_arrays() -> None:
    """The items of all arrays count, also those of fixed width, before they are read."""
    topics = [TopicPartitions(topic="t", partitions=list(range(99)))] * 10
    message = ElectLeadersRequest(election_type=0, topic_partitions=topics, timeout_ms=0)
    raw = memoryview(encode(message, 2))

    assert run(decode_slices(ElectLeadersRequest, 2, raw, items_max=1000))[0] == message
    with pytest.raises(Malformed, match="more than 999 items"):
        run(decode_slices(ElectLeadersRequest, 2, raw, items_max=999))


@pytest.mark.parametrize("cut", [1, 40, 700])
def test_torn_messages_are_malformed(cut: int) -> None:
    """A message that is truncated anywhere raises Malformed."""
    topics = [MetadataRequestTopic(name="t")] * 100
    raw = memoryview(encode(MetadataRequest(topics=topics), 12))

    with pytest.raises(Malformed):
        run(decode_slices(MetadataRequest, 12, raw[:-cut], items_max=1000))


def test_a_message_without_arrays_is_read_at_once() -> None:
    """A message without arrays is decoded without a yield."""
    message = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")
    raw = memoryview(encode(message, 4))

    assert run(decode_slices(HeartbeatRequest, 4, raw, items_max=0)) == (message, 0)
    assert run(encode_slices(Output(), message, 4)) == (None, 0)


def test_a_value_that_does_not_fit_is_unencodable() -> None:
    """A value that does not fit raises Unencodable, wherever in the message it is."""
    topics = [MetadataResponseTopic(name="t" * 40_000, partitions=[])]
    response = MetadataResponse(brokers=[], cluster_id="c", controller_id=1, topics=topics)

    with pytest.raises(Unencodable):
        run(encode_slices(Output(), response, 12))


def test_an_item_is_encoded_as_in_its_message() -> None:
    """The bytes of an item are those that the message has for it."""
    topic = MetadataResponseTopic(name="topic", partitions=[])
    response = MetadataResponse(brokers=[], cluster_id="c", controller_id=1, topics=[topic])
    for version in range(14):
        item, _ = run(encode_item(MetadataResponse, version, topic))
        assert item in encode(response, version)


def test_an_item_that_does_not_fit_is_unencodable() -> None:
    """The error names the struct."""
    topic = MetadataResponseTopic(name="t" * 40_000, partitions=[])

    with pytest.raises(StringTooLong, match="MetadataResponseTopic v12"):
        run(encode_item(MetadataResponse, 12, topic))


def test_encoded_items_cannot_be_read() -> None:
    """The class of the message with items that are not encoded reads them."""
    with pytest.raises(TypeError, match="can only be written"):
        decode(EncodedMetadataResponse, 12, bytes(100))
