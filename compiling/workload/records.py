"""Produce and Fetch: serial, several in flight, of batches of all sizes, and fetches that wait."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from compiling.workload.client import Client
from protocol.compression import Codec
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record

_BY_TOPIC_ID = 13  # the first version of Produce and of Fetch that has no name
_IN_FLIGHT = 5
_WAIT_MS = 30_000
_SHORT_WAIT_MS = 2
_ONE_RECORD = build_batch([Record(key=None, value=bytes(100))])


def produce_and_fetch(bootstrap: str, name: str, count: int) -> None:
    """Run all of this file with one topic; *count* is the number of requests of each kind."""
    with Client(bootstrap) as client:
        topic_id, leader = client.topic(name)
    with Client(leader) as writer, Client(leader) as reader:
        _produce_serially(writer, name, topic_id, count)
        _produce_idempotently(writer, topic_id, count)
        _produce_in_flight(writer, name, topic_id, count)
        _produce_batches(writer, topic_id, count)
        _fetch_all(reader, name, topic_id)
        _complete_waiting_fetches(writer, reader, name, topic_id, count)
        _let_fetches_expire(reader, topic_id, count)


def _produce_serially(writer: Client, name: str, topic_id: UUID, count: int) -> None:
    for version in _repeated(ProduceRequest, count):
        accepted(writer.request(produced(name, topic_id, _ONE_RECORD, version), version))


def _produce_idempotently(writer: Client, topic_id: UUID, count: int) -> None:
    new = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=_WAIT_MS)
    identity = writer.request(new)
    for sequence in range(count):
        batch = build_batch(
            [Record(key=b"key", value=bytes(100))],
            producer_id=identity.producer_id,
            producer_epoch=identity.producer_epoch,
            base_sequence=sequence,
        )
        accepted(writer.request(produced("", topic_id, batch, _BY_TOPIC_ID)))


def _produce_in_flight(writer: Client, name: str, topic_id: UUID, count: int) -> None:
    """Batches of 16 KB, which is a producer's default."""
    batch = build_batch([Record(key=None, value=bytes(1000))] * 16)
    for version in _repeated(ProduceRequest, count // _IN_FLIGHT):
        for _ in range(_IN_FLIGHT):
            writer.send(produced(name, topic_id, batch, version), version)
        for _ in range(_IN_FLIGHT):
            accepted(writer.receive())


def _produce_batches(writer: Client, topic_id: UUID, count: int) -> None:
    """Records of one size and of several, with headers, and compressed."""
    alike = [Record(key=None, value=bytes(100))] * 100
    several = [Record(key=b"k", value=bytes(i), headers=[("name", b"value")]) for i in range(100)]
    batches = [build_batch(alike), build_batch(several), build_batch(alike * 10)]
    batches += [build_batch(several, codec=codec) for codec in (Codec.GZIP, Codec.LZ4, Codec.ZSTD)]
    for _ in range(count // 10):
        for batch in batches:
            accepted(writer.request(produced("", topic_id, batch, _BY_TOPIC_ID)))


def _fetch_all(reader: Client, name: str, topic_id: UUID) -> None:
    for version in _versions(FetchRequest):
        offset, high_watermark = 0, 1
        while offset < high_watermark:
            response = reader.request(_fetched(name, topic_id, offset, _WAIT_MS, version), version)
            (data,) = response.responses[0].partitions
            assert not data.error_code, data
            offset, high_watermark = offset + 1000, data.high_watermark


def _complete_waiting_fetches(
    writer: Client, reader: Client, name: str, topic_id: UUID, count: int
) -> None:
    """A fetch at the end of the log is sent before the record that completes it."""
    produce = produced(name, topic_id, _ONE_RECORD, _BY_TOPIC_ID)
    for version in _repeated(FetchRequest, count):
        base_offset = accepted(writer.request(produce))
        reader.send(_fetched(name, topic_id, base_offset + 1, _WAIT_MS, version), version)
        accepted(writer.request(produce))
        (data,) = reader.receive().responses[0].partitions
        assert data.records, data


def _let_fetches_expire(reader: Client, topic_id: UUID, count: int) -> None:
    """As a consumer without new records, which sends its next fetch at once."""
    end = 1 << 40  # out of range: the first response has the end
    response = reader.request(_fetched("", topic_id, end, _SHORT_WAIT_MS, _BY_TOPIC_ID))
    end = response.responses[0].partitions[0].high_watermark
    for _ in range(count // 10):
        reader.request(_fetched("", topic_id, end, _SHORT_WAIT_MS, _BY_TOPIC_ID))


def produced(name: str, topic_id: UUID, batch: bytes, version: int) -> ProduceRequest:
    """An ``acks=all`` request with one batch for partition 0, in any version."""
    has_name = version < _BY_TOPIC_ID
    partition = PartitionProduceData(index=0, records=memoryview(batch))
    topic = TopicProduceData(
        name=name if has_name else "",
        topic_id=UUID(int=0) if has_name else topic_id,
        partition_data=[partition],
    )
    return ProduceRequest(acks=-1, timeout_ms=_WAIT_MS, topic_data=[topic])


def _fetched(
    name: str, topic_id: UUID, offset: int, max_wait_ms: int, version: int
) -> FetchRequest:
    has_name = version < _BY_TOPIC_ID
    partition = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    topic = FetchTopic(
        topic=name if has_name else "",
        topic_id=UUID(int=0) if has_name else topic_id,
        partitions=[partition],
    )
    return FetchRequest(max_wait_ms=max_wait_ms, min_bytes=1, topics=[topic])


def accepted(response: Any) -> int:
    """Return the base offset of the batch; raises AssertionError if it was refused."""
    (data,) = response.responses[0].partition_responses
    assert not data.error_code, data
    base_offset: int = data.base_offset
    return base_offset


def _versions(cls: Any) -> range:
    versions: range = cls.__spec__.versions
    return versions


def _repeated(cls: type, count: int) -> list[int]:
    """*count* versions of a message: all in turn."""
    versions = _versions(cls)
    return [versions[i % len(versions)] for i in range(count)]
