"""Requests and responses, each in one old version with a simple layout.

Each request has one partition, which is sufficient for tests and benchmarks.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from integration.wire.connection import Reader, framed, string

PRODUCE, FETCH, LIST_OFFSETS, METADATA, API_VERSIONS, CREATE_TOPICS = 0, 1, 2, 3, 18, 19
INIT_PRODUCER_ID, WRITE_TXN_MARKERS = 22, 27


def request(api: int, version: int, body: bytes, *, correlation_id: int = 1) -> bytes:
    """Frame a request with header version 1."""
    return framed(struct.pack(">hhi", api, version, correlation_id) + string("wire") + body)


def api_versions(*, correlation_id: int = 1) -> bytes:
    """ApiVersions (v0)."""
    return request(API_VERSIONS, 0, b"", correlation_id=correlation_id)


def metadata(topics: Sequence[str] | None, *, create: bool = True) -> bytes:
    """Metadata (v4); missing topics are created."""
    names = b"".join(map(string, topics or ()))
    count = -1 if topics is None else len(topics)
    return request(METADATA, 4, struct.pack(">i", count) + names + bytes([create]))


class MetadataResponse(NamedTuple):
    """The brokers, and for each topic its error and the leader of each partition."""

    brokers: list[tuple[int, str, int]]
    topics: dict[str, tuple[int, dict[int, int]]]


def read_metadata(frame: bytes) -> MetadataResponse:
    """Read a Metadata response, v4."""
    read = Reader(frame)
    read.take("ii")
    brokers = []
    for _ in range(read.number("i")):
        node, host, port = read.number("i"), read.string(), read.number("i")
        read.string()
        brokers.append((node, host or "", port))
    read.string()
    read.take("i")
    topics = {}
    for _ in range(read.number("i")):
        error, name = read.number("h"), read.string()
        read.take("b")
        topics[name or ""] = error, dict(_partition(read) for _ in range(read.number("i")))
    return MetadataResponse(brokers, topics)


def _partition(read: Reader) -> tuple[int, int]:
    _, index, leader = read.take("hii")
    for _ in ("replicas", "isr"):
        read.take("i" * read.number("i"))
    return index, leader


def produce(
    topic: str,
    partition: int,
    records: bytes,
    *,
    acks: int = -1,
    timeout_ms: int = 30_000,
    transactional_id: str | None = None,
    correlation_id: int = 1,
) -> bytes:
    """Produce the records of one partition (v7)."""
    body = struct.pack(">h", -1) if transactional_id is None else string(transactional_id)
    body += struct.pack(">hii", acks, timeout_ms, 1) + string(topic)
    body += struct.pack(">iii", 1, partition, len(records)) + records
    return request(PRODUCE, 7, body, correlation_id=correlation_id)


class ProduceResponse(NamedTuple):
    """The only partition of a Produce response."""

    error: int
    base_offset: int


def read_produce(frame: bytes) -> ProduceResponse:
    """Read a Produce response of one partition, v7."""
    read = Reader(frame)
    read.take("ii")
    read.string()
    _, _, error, base_offset = read.take("iihq")
    return ProduceResponse(error, base_offset)


def fetch(
    topic: str,
    partition: int,
    offset: int,
    *,
    max_wait_ms: int = 500,
    min_bytes: int = 1,
    max_bytes: int = 50 << 20,
    isolation_level: int = 0,
    correlation_id: int = 1,
) -> bytes:
    """Fetch one partition (v4: no session)."""
    body = struct.pack(">iiiib", -1, max_wait_ms, min_bytes, max_bytes, isolation_level)
    body += struct.pack(">i", 1) + string(topic)
    body += struct.pack(">iiqi", 1, partition, offset, max_bytes)
    return request(FETCH, 4, body, correlation_id=correlation_id)


class FetchResponse(NamedTuple):
    """The only partition of a Fetch response.

    ``aborted`` has producer id and first offset of each aborted transaction.
    """

    error: int
    high_watermark: int
    records: bytes
    last_stable_offset: int
    aborted: list[tuple[int, int]]


def read_fetch(frame: bytes) -> FetchResponse:
    """Read a Fetch response of one partition, v4."""
    read = Reader(frame)
    read.take("iii")
    read.string()
    _, _, error, high_watermark, last_stable_offset = read.take("iihqq")
    aborted = []
    for _ in range(max(0, read.number("i"))):
        producer_id, first_offset = read.take("qq")
        aborted.append((producer_id, first_offset))
    return FetchResponse(error, high_watermark, read.data(), last_stable_offset, aborted)


def list_offsets(topic: str, partition: int, timestamp: int) -> bytes:
    """List the offset of a timestamp; -1 is the end, -2 the beginning (v1)."""
    body = struct.pack(">ii", -1, 1) + string(topic)
    return request(LIST_OFFSETS, 1, body + struct.pack(">iiq", 1, partition, timestamp))


def read_list_offsets(frame: bytes) -> tuple[int, int]:
    """Read error and offset of the only partition, v1."""
    read = Reader(frame)
    read.take("ii")
    read.string()
    _, _, error, _, offset = read.take("iihqq")
    return error, offset


def create_topic(
    name: str,
    *,
    partitions: int = 1,
    replication: int = 1,
    configs: Mapping[str, str] | None = None,
) -> bytes:
    """Create a topic (v2)."""
    settings = [string(key) + string(value) for key, value in (configs or {}).items()]
    body = struct.pack(">i", 1) + string(name) + struct.pack(">ihi", partitions, replication, 0)
    body += struct.pack(">i", len(settings)) + b"".join(settings)
    return request(CREATE_TOPICS, 2, body + struct.pack(">ib", 30_000, 0))


def read_create_topic(frame: bytes) -> tuple[int, str | None]:
    """Read error and message of the only topic, v2."""
    read = Reader(frame)
    read.take("iii")
    read.string()
    return read.number("h"), read.string()


def init_producer_id() -> bytes:
    """Get a producer id (v0)."""
    return request(INIT_PRODUCER_ID, 0, struct.pack(">hi", -1, 60_000))


def read_init_producer_id(frame: bytes) -> tuple[int, int, int]:
    """Read error, producer id and epoch, v0."""
    _, _, error, producer_id, epoch = Reader(frame).take("iihqh")
    return error, producer_id, epoch


def write_txn_markers(
    topic: str, partition: int, producer_id: int, producer_epoch: int, *, commit: bool
) -> bytes:
    """End a transaction in one partition, as a transaction coordinator does (v1, flexible)."""
    name = bytes([len(topic) + 1]) + topic.encode()
    body = struct.pack(">bqh?b", 2, producer_id, producer_epoch, commit, 2) + name
    body += struct.pack(">bibibb", 2, partition, 0, 0, 0, 0)
    head = struct.pack(">hhi", WRITE_TXN_MARKERS, 1, 1) + string("wire") + b"\0"
    return framed(head + body)
