"""Tests of records made from the requests and responses of a connection."""

from __future__ import annotations

from uuid import UUID

import pytest

from protocol.codec import Malformed
from protocol.headers import encode_request
from protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from protocol.messages.metadata import MetadataResponse, MetadataResponseTopic
from protocol.messages.produce import ProduceRequest
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record as KafkaRecord
from recorder.addresses import Address
from recorder.exchange import Exchange, Record, TopicNames
from tests.recorder.test_addresses import frame_of

BEAT = HeartbeatRequest(group_id="g", generation_id=1, member_id="m")


def exchange() -> Exchange:
    """A connection to node 3."""
    return Exchange(
        9, lambda: 3, TopicNames(), lambda _, upstream: Address(upstream.host, upstream.port)
    )


def made(record: Record | None) -> Record:
    """The record of a request that has one."""
    assert record is not None
    return record


def framed(body: object, version: int, correlation_id: int) -> bytes:
    """A request's frame without its length."""
    return encode_request(body, version, correlation_id, "me")[4:]


def test_phases_add_up_and_the_second_request_is_queued() -> None:
    """The second request is queued until the first has its response; phases add up."""
    one = exchange()
    response = frame_of(HeartbeatResponse(error_code=27), 4)[1]
    one.request(framed(BEAT, 4, 1), 100)
    one.request(framed(BEAT, 4, 2), 150)
    records = []
    for responded_us, sent_us in ((300, 310), (400, 420)):
        forwarded, record_of = one.response(response, responded_us)
        assert forwarded is response
        records.append(made(record_of(sent_us)))

    times = [
        tuple(record[f"{name}_us"] for name in ("arrived", "queued", "local", "send", "total"))
        for record in records
    ]
    assert times == [(100, 0, 200, 10, 210), (150, 160, 90, 20, 270)]
    assert [record["correlation_id"] for record in records] == [1, 2]
    assert records[0] | {"correlation_id": 2} == records[1] | {
        name: records[0][name] for name in records[0] if name.endswith("_us")
    }
    names = ("node", "connection", "client_id", "api", "version", "error")
    assert [records[0][name] for name in names] == [3, 9, "me", "Heartbeat", 4, 27]


def test_a_produce_without_acks_is_recorded_at_once() -> None:
    """A Produce with acks=0 gives a record at once, and takes no later response."""
    one = exchange()
    record = one.request(framed(ProduceRequest(acks=0, timeout_ms=7, topic_data=[]), 9, 1), 100)
    one.request(framed(BEAT, 4, 2), 200)
    _, record_of = one.response(frame_of(HeartbeatResponse(), 4)[1], 300)

    assert record is not None
    assert (record["api"], record["timeout_ms"], record["total_us"]) == ("Produce", 7, 0)
    assert made(record_of(300))["api"] == "Heartbeat"


def test_a_fetch_is_counted_before_the_next_one_moves_on() -> None:
    """A Fetch is recorded with its own offsets even if the next Fetch arrives first."""
    one = exchange()
    parts = [FetchPartition(partition=0, fetch_offset=at, partition_max_bytes=1) for at in (0, 2)]
    requests = [
        FetchRequest(max_wait_ms=1, min_bytes=1, topics=[FetchTopic(topic="t", partitions=[part])])
        for part in parts
    ]
    batch = build_batch([KafkaRecord(None, b"a"), KafkaRecord(None, b"b")])
    data = PartitionData(partition_index=0, high_watermark=2, records=batch)
    response = FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[data])])
    one.request(framed(requests[0], 12, 1), 100)
    _, record_of = one.response(frame_of(response, 12)[1], 200)
    one.request(framed(requests[1], 12, 2), 300)

    (partition,) = made(record_of(400))["partitions"]
    assert (partition["offset"], partition["records"]) == (0, 2)


def test_an_api_that_is_not_known_is_recorded_by_its_number() -> None:
    """An unknown API is forwarded and recorded by its key."""
    one = exchange()
    one.request(b"\x03\xe7\x00\x01\x00\x00\x00\x05", 100)
    forwarded, record_of = one.response(b"\x00\x00\x00\x05rest", 150)

    assert forwarded == b"\x00\x00\x00\x05rest"
    record = made(record_of(150))
    assert (record["api"], record["total_us"]) == ("999", 50)


def test_a_response_without_a_request_is_malformed() -> None:
    """A response without a request raises Malformed."""
    with pytest.raises(Malformed):
        exchange().response(b"\0\0\0\1", 1)


def test_topic_names_are_learned() -> None:
    """A topic has its name after a Metadata response; before that its record has the id."""
    names, topic_id = TopicNames(), UUID(int=5)
    assert names("", topic_id) == str(topic_id)
    topic = MetadataResponseTopic(name="orders", topic_id=topic_id, partitions=[])
    names.learn(MetadataResponse(brokers=[], topics=[topic]))

    assert names("", topic_id) == "orders"
    assert names("given", topic_id) == "given"
