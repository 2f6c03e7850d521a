"""Tests of the partitions in a record."""

from __future__ import annotations

from uuid import UUID

from protocol.messages.fetch import (
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
)
from protocol.messages.produce import (
    PartitionProduceData,
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceData,
    TopicProduceResponse,
)
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record
from recorder.partitions import Offsets, fetched, produced, remember_offsets

BATCH = build_batch([Record(None, b"x", timestamp=0)] * 4, base_offset=10)


def named(name: str, _: UUID) -> str:
    """Return the topic's name."""
    return name


def test_a_produce_has_its_counts_and_its_response() -> None:
    """A Produce has its counts and offsets; with acks=0 the offset is unknown."""
    part = PartitionProduceData(index=2, records=BATCH)
    request = ProduceRequest(
        acks=1, timeout_ms=5, topic_data=[TopicProduceData(name="t", partition_data=[part])]
    )
    result = PartitionProduceResponse(index=2, base_offset=10, error_code=3)
    response = ProduceResponse(
        responses=[TopicProduceResponse(name="t", partition_responses=[result])]
    )

    [with_response], [without] = (
        produced(request, response, named),
        produced(request, None, named),
    )
    assert with_response == {
        "topic": "t",
        "partition": 2,
        "offset": 10,
        "records": 4,
        "bytes": len(BATCH),
        "error": 3,
        "high_watermark": None,
        "log_end_offset": None,
    }
    assert (without["offset"], without["error"], without["records"]) == (None, 0, 4)


def test_a_fetch_counts_from_its_fetch_offset() -> None:
    """Records before the fetch offset are not counted, also in later requests of a session."""
    offsets: Offsets = {}
    part = FetchPartition(partition=0, fetch_offset=12, partition_max_bytes=1)
    first = FetchRequest(
        max_wait_ms=1, min_bytes=1, topics=[FetchTopic(topic="t", partitions=[part])]
    )
    remember_offsets(first, offsets, named)
    remember_offsets(FetchRequest(max_wait_ms=1, min_bytes=1, topics=[]), offsets, named)
    data = PartitionData(partition_index=0, high_watermark=14, records=BATCH)
    response = FetchResponse(responses=[FetchableTopicResponse(topic="t", partitions=[data])])

    [partition] = fetched(response, offsets, named)
    assert (partition["offset"], partition["records"], partition["high_watermark"]) == (12, 2, 14)
    assert partition["bytes"] == len(BATCH)
