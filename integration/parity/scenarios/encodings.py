"""Encodings: bytes after a request, and tagged fields."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from integration.parity.edited import VARINT_OF_MINUS_1, last_bytes, replaced, response_or_closed
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.metadata import MetadataRequest

HARMLESS: tuple[Any, ...] = (
    ApiVersionsRequest(client_software_name="parity", client_software_version="1.0"),
    MetadataRequest(topics=[]),
    HeartbeatRequest(group_id="none", generation_id=1, member_id="absent"),
    ListGroupsRequest(),
    DescribeClusterRequest(include_cluster_authorized_operations=False),
)

# The value of Fetch's tagged field 1, replica id and epoch: of a consumer and of a follower.
CONSUMER = struct.pack(">iqb", -1, -1, 0)
FOLLOWER = struct.pack(">iqb", 7, -1, 0)


@scenario()
def bytes_after_a_request(kafka: Kafka) -> Observations:
    """Bytes after the body of a request are ignored, in every version."""
    client = kafka.connect()
    for request in HARMLESS:
        for version in request.__spec__.versions:
            response = client.start(request, version, edit=lambda raw: raw + b"\0\1\2").response()
            yield type(request).__name__, version, getattr(response, "error_code", None)


def _tags() -> Iterator[tuple[str, bytes]]:
    as_consumer = b"\x01\x0d" + CONSUMER
    as_follower = b"\x01\x0d" + FOLLOWER
    cluster = b"\x00\x02\x02c"
    unknown = b"\x63\x03abc"
    yield "none", b"\x00"
    yield "consumer", b"\x01" + as_consumer
    yield "follower", b"\x01" + as_follower
    yield "unknown", b"\x02" + as_consumer + unknown
    yield "unknown twice", b"\x02" + unknown + unknown
    yield "out of order", b"\x03" + unknown + as_consumer + cluster
    yield "twice, the last a consumer", b"\x02" + as_follower + as_consumer
    yield "twice, the last a follower", b"\x02" + as_consumer + as_follower
    yield "too short a size", b"\x01\x01\x01" + CONSUMER
    yield "a size of 0", b"\x01\x01\x00" + CONSUMER
    yield "too long a size", b"\x02\x01\x0f" + CONSUMER + unknown
    yield "a size beyond the frame", b"\x01\x01\x7f" + CONSUMER
    yield "a negative size", b"\x01\x01" + VARINT_OF_MINUS_1 + CONSUMER
    yield "an unknown field beyond the frame", b"\x01\x63\x7f"
    yield "a negative size of an unknown field", b"\x01\x63" + VARINT_OF_MINUS_1
    yield "a negative tag", b"\x01" + VARINT_OF_MINUS_1 + b"\x01x"
    yield "a tag with a long varint", b"\x01\x81\x80\x00\x0d" + FOLLOWER
    yield "a null cluster", b"\x01\x00\x01\x00"
    yield "a cluster of length -2", b"\x01\x00\x05" + VARINT_OF_MINUS_1
    yield "fewer than counted", b"\x02" + as_consumer
    yield "more than counted", b"\x01" + as_consumer + as_follower
    yield "a count of -1", VARINT_OF_MINUS_1 + as_follower
    yield "half a value", b"\x01\x01\x0d" + CONSUMER[:5]


@scenario()
def tagged_fields(kafka: Kafka) -> Observations:
    """Tagged fields in any order, repeated, unknown, and with a wrong size."""
    topic = kafka.topic()
    topic_id = kafka.metadata(topic).topic_id
    partition = FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1000)
    request = FetchRequest(
        max_wait_ms=0, min_bytes=0, topics=[FetchTopic(topic_id=topic_id, partitions=[partition])]
    )
    for what, tags in _tags():
        yield what, response_or_closed(kafka, request, 15, last_bytes(tags, instead_of=1))


@scenario()
def tagged_fields_of_headers(kafka: Kafka) -> Observations:
    """Unknown tagged fields after the client id."""
    request = ApiVersionsRequest(client_software_name="parity", client_software_version="1.0")
    for what, tags in (
        ("one", b"\x01\x00\x03abc"),
        ("two out of order", b"\x02\x09\x00\x01\x01x"),
        ("twice", b"\x02\x09\x00\x09\x01x"),
        ("beyond the frame", b"\x01\x00\x7f"),
        ("a negative size", b"\x01\x00" + VARINT_OF_MINUS_1),
        ("a count of -1", VARINT_OF_MINUS_1),
        ("a long varint", b"\x81\x80\x00\x00\x01x"),
        ("none at all", b""),
    ):
        edit = replaced(b"\0\6parity\0\7parity", b"\0\6parity" + tags + b"\7parity")
        response = response_or_closed(kafka, request, 3, edit)
        yield what, getattr(response, "error_code", response)
