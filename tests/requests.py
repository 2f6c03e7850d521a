"""The two requests that most stories are made of, with everything but the point left out."""

from __future__ import annotations

from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from protocol.messages.produce import (
    PartitionProduceData,
    ProduceRequest,
    TopicProduceData,
)

PRODUCE_VERSION = 9
FETCH_VERSION = 12


def produce_request(
    topic: str, *partitions: bytes | None, acks: int = -1, timeout_ms: int = 30_000
) -> ProduceRequest:
    """A batch for each partition of *topic*, from partition 0 on."""
    data = [
        PartitionProduceData(index=index, records=records)
        for index, records in enumerate(partitions)
    ]
    return ProduceRequest(
        acks=acks,
        timeout_ms=timeout_ms,
        topic_data=[TopicProduceData(name=topic, partition_data=data)],
    )


def fetch_request(
    topic: str,
    *offsets: int,
    max_wait_ms: int = 0,
    min_bytes: int = 1,
    max_bytes: int = 1 << 20,
    partition_max_bytes: int = 1 << 20,
) -> FetchRequest:
    """A fetch of partitions of *topic*, from partition 0 on, each at its offset."""
    partitions = [
        FetchPartition(
            partition=index, fetch_offset=offset, partition_max_bytes=partition_max_bytes
        )
        for index, offset in enumerate(offsets)
    ]
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        topics=[FetchTopic(topic=topic, partitions=partitions)],
    )
