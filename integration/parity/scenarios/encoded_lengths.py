"""Encoded lengths: negative ones, varints of all forms, and lengths beyond the frame."""

from __future__ import annotations

import struct
from typing import Any

from integration.parity.edited import (
    CLOSED,
    VARINT_OF_MINUS_1,
    VARINT_OF_MINUS_2_TO_THE_31,
    body,
    last_bytes,
    replaced,
    response_or_closed,
)
from integration.parity.requests import batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.metadata import MetadataRequest

HEARTBEAT = HeartbeatRequest(group_id="none", generation_id=1, member_id="absent")
NO_TOPIC = MetadataRequest(topics=[])

# Two as an unsigned varint: alone, with redundant bytes, with a bit beyond 32, in six bytes, and
# unterminated.
TWO = (
    b"\x02",
    b"\x82\0",
    b"\x82\x80\0",
    b"\x82\x80\x80\0",
    b"\x82\x80\x80\x80\0",
    b"\x82\x80\x80\x80\x10",
    b"\x82\x80\x80\x80\x80\0",
    b"\x82\x80",
    b"\xff" * 10,
)


def _topics(response: Any) -> object:
    """Whether a Metadata response has topics, whose number varies on a shared cluster."""
    return CLOSED if response == CLOSED else "topics" if response.topics else "no topics"


@scenario()
def classic_negative_lengths(kafka: Kafka) -> Observations:
    """A negative length is null if null is allowed, and closes the connection otherwise."""
    kafka.topic()
    for length in (-1, -2, -(2**15)):
        short = struct.pack(">h", length)
        for what, version, edit in (
            ("client id", 0, replaced(b"\0\6parity", short)),
            ("nullable string", 3, last_bytes(short, instead_of=2)),
            ("string", 3, replaced(b"\0\6absent", short)),
        ):
            yield what, length, response_or_closed(kafka, HEARTBEAT, version, edit)
    for length in (-1, -2, -(2**31)):
        number = struct.pack(">i", length)
        nullable, required = body(number + b"\0"), body(number)
        yield "nullable array", length, _topics(response_or_closed(kafka, NO_TOPIC, 4, nullable))
        yield "array", length, response_or_closed(kafka, NO_TOPIC, 0, required)


@scenario()
def compact_negative_lengths(kafka: Kafka) -> Observations:
    """The same for varints: 0 and negative 32-bit numbers are null."""
    kafka.topic()
    for varint in (b"\0", VARINT_OF_MINUS_1, VARINT_OF_MINUS_2_TO_THE_31):
        nullable = body(varint + bytes(4))
        yield "nullable array", varint, _topics(response_or_closed(kafka, NO_TOPIC, 9, nullable))
        for what, request, edit in (
            ("array", ListGroupsRequest(), body(varint + b"\0")),
            ("string", HEARTBEAT, replaced(b"\7absent", varint)),
            ("nullable string", HEARTBEAT, last_bytes(varint + b"\0", instead_of=2)),
        ):
            yield what, varint, response_or_closed(kafka, request, 4, edit)


@scenario()
def lengths_of_records(kafka: Kafka) -> Observations:
    """Records that are longer than the frame."""
    topic = kafka.topic()
    records = batch("a")
    for length in (len(records) + 100, 2**31 - 1):
        edit = replaced(struct.pack(">i", len(records)), struct.pack(">i", length))
        yield length, response_or_closed(kafka, produce(topic, records), 8, edit)


@scenario()
def long_varints(kafka: Kafka) -> Observations:
    """Varints with redundant bytes are read, those of more than five bytes are not."""
    request = FindCoordinatorRequest(coordinator_keys=["x"], key_type=7)
    for varint in TWO:
        key = last_bytes(varint + b"x\0", instead_of=3)
        yield "string", varint, response_or_closed(kafka, request, 4, key)
        count = last_bytes(varint + b"\x02x\0", instead_of=4)
        yield "array", varint, response_or_closed(kafka, request, 4, count)


@scenario()
def arrays_beyond_the_frame(kafka: Kafka) -> Observations:
    """More items than bytes close the connection, and so does a truncated item."""
    for length in (2, 100, 2**31 - 1):
        content = body(struct.pack(">i", length) + b"\0\1x" + b"\0\0\0")
        yield length, _topics(response_or_closed(kafka, NO_TOPIC, 8, content))
    for varint in (b"\3", b"\x7f", b"\xff\xff\xff\xff\x07"):
        content = body(varint + b"\2x" + bytes(5))
        yield varint, _topics(response_or_closed(kafka, NO_TOPIC, 9, content))


@scenario()
def booleans(kafka: Kafka) -> Observations:
    """Every byte except 0 is true, here for the requested authorized operations."""
    request = DescribeClusterRequest(include_cluster_authorized_operations=False)
    for byte in (0, 1, 2, 127, 128, 255):
        response = response_or_closed(kafka, request, 0, body(bytes([byte, 0])))
        yield byte, response.cluster_authorized_operations > 0


@scenario()
def nullable_structs(kafka: Kafka) -> Observations:
    """A nullable struct is null after any negative byte."""
    topic = kafka.topic(2)
    request = DescribeTopicPartitionsRequest(topics=[TopicRequest(name=topic)])
    cursor = bytes([len(topic) + 1]) + topic.encode() + struct.pack(">i", 1) + b"\0"
    for byte in (0xFF, 0x80, 0, 1, 2, 0x7F):
        tail = bytes([byte]) + (cursor if byte < 0x80 else b"")
        edit = last_bytes(tail + b"\0", instead_of=2)
        response = response_or_closed(kafka, request, 0, edit)
        yield byte, response if response == CLOSED else len(response.topics[0].partitions)
