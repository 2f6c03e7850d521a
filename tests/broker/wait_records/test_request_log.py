"""Wait records as lines of Kafka's request log."""

from __future__ import annotations

import json
from typing import Any

from broker.common.topic_partition import TopicPartition
from broker.wait_records.json_line import json_line
from broker.wait_records.record import WaitRecord
from broker.wait_records.request_log import request_log_line
from protocol.headers import RequestHeader
from tests.broker.wait_records.records import wait_record

PREFIX = "[2023-11-14 22:13:20,040] DEBUG Completed request:"
SUFFIX = " (kafka.request.logger)"
TIMES = {
    "totalTimeMs": 40.25,
    "requestQueueTimeMs": 0.5,
    "localTimeMs": 9.5,
    "remoteTimeMs": 30.0,
    "throttleTimeMs": 0,
    "responseQueueTimeMs": 0.0,
    "sendTimeMs": 0.25,
}


def logged(record: WaitRecord) -> dict[str, Any]:
    """The JSON object in the line for a record."""
    line = request_log_line(json_line(record)).decode()
    assert line.startswith(PREFIX)
    assert line.endswith(SUFFIX)
    facts: dict[str, Any] = json.loads(line.removeprefix(PREFIX).removesuffix(SUFFIX))
    return facts


def parked(api_key: int, purgatory: str, waited_for: dict[str, Any]) -> WaitRecord:
    """A request that ended 40.25 ms after its arrival."""
    record = wait_record()
    record.header = RequestHeader(api_key, 12, 17, "billing")
    record.arrived_us = 1_700_000_000_000_000
    record.arrived_ms, record.started_ms = 10.0, 10.5
    record.waited_ms, record.completed_ms, record.sent_ms = 30.0, 50.0, 50.25
    record.purgatory, record.timeout_ms = purgatory, 500
    record.waited_for = waited_for
    return record


def test_a_line_has_kafkas_fields() -> None:
    """Header, times, principal and listener have the names of `RequestConvertToJson`."""
    line = logged(parked(1, "Fetch", {"kind": "min_bytes", "need": 3, "had": 0}))

    assert line["requestHeader"] == {
        "requestApiKey": 1,
        "requestApiVersion": 12,
        "correlationId": 17,
        "clientId": "billing",
        "requestApiKeyName": "FETCH",
    }
    assert line.items() >= TIMES.items()
    assert (line["principal"], line["listener"]) == ("User:ANONYMOUS", "PLAINTEXT")
    assert line["connection"] == "node-1:0-connection:7-0-0"


def test_a_fetch() -> None:
    """The request has the offsets of partitions, the response their sizes and errors."""
    record = parked(1, "Fetch", {"kind": "min_bytes", "need": 3, "had": 0})
    record.results = [
        (TopicPartition("t", 0), 5, (2, 100), 0, 7, 9),
        (TopicPartition("t", 1), 6, (0, 0), 3, -1, -1),
        (TopicPartition("u", 0), 0, (0, 0), 0, 0, 0),
    ]
    line = logged(record)

    assert (line["request"]["maxWaitMs"], line["request"]["minBytes"]) == (500, 3)
    assert line["request"]["topics"] == [
        {
            "topic": "t",
            "partitions": [
                {"partition": 0, "fetchOffset": 5},
                {"partition": 1, "fetchOffset": 6},
            ],
        },
        {"topic": "u", "partitions": [{"partition": 0, "fetchOffset": 0}]},
    ]
    first = line["response"]["responses"][0]["partitions"][0]
    assert first == {
        "partitionIndex": 0,
        "errorCode": 0,
        "highWatermark": 7,
        "recordsSizeInBytes": 100,
    }


def test_a_produce() -> None:
    """The request has the sizes, the response the base offsets."""
    record = parked(0, "Produce", {"kind": "high_watermark", "need": 7, "had": 5})
    record.results = [(TopicPartition("t", 0), 5, (2, 100), 7, 5, 7)]
    line = logged(record)

    assert line["request"] == {
        "timeoutMs": 500,
        "topicData": [{"name": "t", "partitionData": [{"index": 0, "recordsSizeInBytes": 100}]}],
    }
    assert line["response"]["responses"] == [
        {"name": "t", "partitionResponses": [{"index": 0, "errorCode": 7, "baseOffset": 5}]}
    ]


def test_other_requests_have_their_error() -> None:
    """The name of the API has Kafka's form."""
    record = parked(22, "Produce", {"kind": "stored"})
    record.error = 15
    line = logged(record)

    assert line["requestHeader"]["requestApiKeyName"] == "INIT_PRODUCER_ID"
    assert line["response"] == {"throttleTimeMs": 0, "errorCode": 15}
