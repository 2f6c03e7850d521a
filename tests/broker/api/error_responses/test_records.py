"""Error responses of requests about records, compared with Kafka 4.3.1."""

from __future__ import annotations

from typing import Any

from broker.api.error_responses.table import error_response
from protocol.errors import ErrorCode
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.requests import fetch_request, produce_request

BUG = ErrorCode.UNKNOWN_SERVER_ERROR


def test_a_produce_has_the_code_and_the_message_in_each_partition() -> None:
    """The offsets are unknown."""
    response: Any = error_response(
        produce_request("t", b"", b""), 9, ErrorCode.INVALID_REQUEST, "why"
    )

    (topic,) = response.responses
    assert topic.name == "t"
    assert [
        (each.index, each.error_code, each.error_message, each.base_offset, each.log_start_offset)
        for each in topic.partition_responses
    ] == [(0, 42, "why", -1, -1), (1, 42, "why", -1, -1)]


def test_a_topic_named_twice_is_in_the_response_once() -> None:
    """So is a partition; a topic without partitions is omitted."""
    data = [PartitionProduceData(index=0, records=None)]
    topics = [("t", data), ("u", []), ("t", [*data, PartitionProduceData(index=1, records=None)])]
    body = ProduceRequest(
        acks=1,
        timeout_ms=0,
        topic_data=[TopicProduceData(name=name, partition_data=each) for name, each in topics],
    )
    response: Any = error_response(body, 9, BUG)

    (topic,) = response.responses
    assert [each.index for each in topic.partition_responses] == [0, 1]


def test_a_produce_without_acks_has_no_response() -> None:
    """The connection is closed."""
    assert error_response(produce_request("t", b"", acks=0), 9, BUG) is None


def test_a_fetch_has_the_code_for_all_and_in_each_partition() -> None:
    """The session id is that of the request."""
    body = fetch_request("t", 0, 0)
    body.session_id = 77
    response: Any = error_response(body, 12, BUG)

    assert (response.error_code, response.session_id) == (-1, 77)
    (topic,) = response.responses
    assert [
        (each.partition_index, each.error_code, each.high_watermark, bytes(each.records))
        for each in topic.partitions
    ] == [(0, -1, -1, b""), (1, -1, -1, b"")]


def test_a_fetch_by_topic_id_has_the_code_at_the_top_only() -> None:
    """From v13 on."""
    response: Any = error_response(fetch_request("t", 0), 13, BUG)

    assert (response.error_code, response.responses) == (-1, [])
