"""Short functions for requests: frequent cases in one line, others by fields."""

from __future__ import annotations

from collections.abc import Mapping

from protocol.compression import Codec
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ForgottenTopic
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record

PATIENT_MS = 20_000  # long enough that only an event can have ended the wait
SHORT_MS = 1500  # a wait that runs until its timeout
TIME_MS = 1_700_000_000_000  # the default timestamp of records
EARLIEST, LATEST = -2, -1


def batch(
    *values: str | None,
    at: int = TIME_MS,
    key: str | None = None,
    codec: Codec = Codec.NONE,
    producer: tuple[int, int, int] | None = None,
    attributes: int = 0,
) -> bytes:
    """A record batch; a producer is its id, its epoch and the first sequence number."""
    records = [
        Record(
            key=None if key is None else key.encode(),
            value=None if value is None else value.encode(),
            timestamp=at,
        )
        for value in values
    ]
    producer_id, epoch, sequence = producer or (-1, -1, -1)
    return build_batch(
        records,
        codec=codec,
        producer_id=producer_id,
        producer_epoch=epoch,
        base_sequence=sequence,
        attributes=attributes,
    )


def produce(
    topic: str,
    records: bytes | Mapping[int, bytes | None] | None,
    *,
    acks: int = -1,
    timeout_ms: int = PATIENT_MS,
    transactional_id: str | None = None,
) -> ProduceRequest:
    """Produce to partition 0, or to each partition of a mapping."""
    each = records if isinstance(records, Mapping) else {0: records}
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=acks,
        timeout_ms=timeout_ms,
        topic_data=[
            TopicProduceData(
                name=topic,
                partition_data=[
                    PartitionProduceData(index=index, records=data) for index, data in each.items()
                ],
            )
        ],
    )


def fetch(
    topic: str,
    offsets: int | Mapping[int, int] = 0,
    *,
    max_wait_ms: int = PATIENT_MS,
    min_bytes: int = 1,
    max_bytes: int = 50 << 20,
    partition_max_bytes: int = 1 << 20,
    read_committed: bool = False,
    session: tuple[int, int] = (0, -1),
    forget: tuple[int, ...] = (),
    leader_epoch: int = -1,
    rack: str = "",
) -> FetchRequest:
    """Fetch partition 0 from an offset, or each partition of a mapping."""
    each = offsets if isinstance(offsets, Mapping) else {0: offsets}
    session_id, session_epoch = session
    partitions = [
        FetchPartition(
            partition=index,
            fetch_offset=offset,
            current_leader_epoch=leader_epoch,
            partition_max_bytes=partition_max_bytes,
        )
        for index, offset in each.items()
    ]
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        max_bytes=max_bytes,
        isolation_level=1 if read_committed else 0,
        session_id=session_id,
        session_epoch=session_epoch,
        topics=[FetchTopic(topic=topic, partitions=partitions)] if partitions else [],
        forgotten_topics_data=(
            [ForgottenTopic(topic=topic, partitions=list(forget))] if forget else []
        ),
        rack_id=rack,
    )


def list_offsets(
    topic: str, *timestamps: int, read_committed: bool = False, leader_epoch: int = -1
) -> ListOffsetsRequest:
    """List the offset of a timestamp in each partition; the first one is for partition 0."""
    return ListOffsetsRequest(
        replica_id=-1,
        isolation_level=1 if read_committed else 0,
        topics=[
            ListOffsetsTopic(
                name=topic,
                partitions=[
                    ListOffsetsPartition(
                        partition_index=index, timestamp=at, current_leader_epoch=leader_epoch
                    )
                    for index, at in enumerate(timestamps)
                ],
            )
        ],
    )
