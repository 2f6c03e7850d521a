"""Invalid bytes cause an error code or a closed connection, without effect on other clients.

Before each test a few records are acknowledged; after it the log must contain exactly these.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from antechamber import Cluster
from integration.kafka.real_kafka import RealKafka
from integration.wire.batches import batch, values
from integration.wire.connection import Connection, Reader, framed, string
from integration.wire.requests import (
    API_VERSIONS,
    FETCH,
    METADATA,
    PRODUCE,
    api_versions,
    create_topic,
    fetch,
    metadata,
    produce,
    read_create_topic,
    read_fetch,
    read_metadata,
    read_produce,
    request,
)
from integration.wire.topics import make_topic

OFFSET_OUT_OF_RANGE, CORRUPT_MESSAGE, UNKNOWN_TOPIC_OR_PARTITION = 1, 2, 3
INVALID_TOPIC_EXCEPTION, INVALID_REQUIRED_ACKS, UNSUPPORTED_VERSION = 17, 21, 35
INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR = 37, 38

ACKNOWLEDGED = [b"acknowledged %d" % i for i in range(5)]


@pytest.fixture
def connection(bootstrap: str) -> Iterator[Connection]:
    """A connection of the test."""
    with Connection(bootstrap, timeout=60) as opened:
        yield opened


@pytest.fixture(autouse=True)
def records(bootstrap: str, topic: str) -> Iterator[str]:
    """A topic with acknowledged records, which are checked after the test."""
    with Connection(bootstrap) as before:
        make_topic(before, topic)
        assert read_produce(before.request(produce(topic, 0, batch(ACKNOWLEDGED)))) == (0, 0)
    yield topic
    with Connection(bootstrap) as after:
        kept = read_fetch(after.request(fetch(topic, 0, 0))).records
        assert [value for _, value in values(kept)] == ACKNOWLEDGED


def hung_up(connection: Connection) -> bool:
    """Whether the broker closed the connection without another response."""
    try:
        connection.receive()
    except (EOFError, ConnectionResetError):
        return True
    return False


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", id="http"),
        pytest.param(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(500), id="tls"),
        pytest.param(b"\xff" * 1000, id="negative-length"),
        pytest.param(framed(b""), id="empty-frame"),
        pytest.param(framed(b"\x00\x03\x00"), id="frame-shorter-than-a-header"),
        pytest.param(framed(b"\xa5" * 300), id="random-bytes"),
    ],
)
def test_invalid_bytes_close_the_connection(connection: Connection, data: bytes) -> None:
    """Bytes that are not a request close the connection."""
    connection.send(data)
    assert hung_up(connection)


def test_a_length_of_two_gigabytes_costs_nothing(
    connection: Connection, broker: Cluster | RealKafka
) -> None:
    """The connection is closed, and no memory is allocated."""
    process = psutil.Process(broker.pid)
    before = process.memory_info().rss
    connection.send(struct.pack(">i", 2**31 - 1))
    assert hung_up(connection)
    assert process.memory_info().rss - before < 64 << 20


def test_memory_is_allocated_for_received_bytes_only(
    connection: Connection, broker: Cluster | RealKafka, against: str
) -> None:
    """A hundred connections that announce 100 MB and send 10 bytes need little memory."""
    if against == "kafka":
        pytest.skip("Kafka allocates the announced size")
    process = psutil.Process(broker.pid)
    before = process.memory_info().rss
    promising = [Connection(broker.bootstrap) for _ in range(100)]
    for each in promising:
        each.send(struct.pack(">i", 100 << 20) + bytes(10))
    connection.request(api_versions())
    assert process.memory_info().rss - before < 64 << 20
    for each in promising:
        each.close()


def test_a_partial_frame_blocks_no_client(
    connection: Connection, bootstrap: str, topic: str
) -> None:
    """A client that stops within a request, or closes there, affects only itself."""
    whole = produce(topic, 0, batch([b"never finished"]))
    connection.send(whole[: len(whole) // 2])
    with Connection(bootstrap) as leaving:
        leaving.send(whole[:-1])
    with Connection(bootstrap) as other:
        assert other.request(api_versions())


def test_a_frame_may_arrive_in_single_bytes(connection: Connection) -> None:
    """The segmentation by TCP does not matter."""
    connection.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in api_versions(correlation_id=77):
        connection.send(bytes([byte]))
    assert Reader(connection.receive()).number("i") == 77


@pytest.mark.parametrize("api", [7777, -1])
def test_an_unknown_api_closes_the_connection(connection: Connection, api: int) -> None:
    """No response is possible."""
    connection.send(request(api, 0, b""))
    assert hung_up(connection)


@pytest.mark.parametrize(("api", "version"), [(PRODUCE, 99), (METADATA, -1), (FETCH, 99)])
def test_an_unknown_version_closes_the_connection(
    connection: Connection, api: int, version: int
) -> None:
    """The request cannot be decoded."""
    connection.send(request(api, version, bytes(64)))
    assert hung_up(connection)


def test_an_unknown_version_of_api_versions_has_a_response(connection: Connection) -> None:
    """The response has version 0 and the supported versions (KIP-511)."""
    flexible = b"\0" + b"\x02x\x02x\0"  # the header's tags; software name, version, tags
    read = Reader(connection.request(request(API_VERSIONS, 99, flexible)))
    _, error, count = read.take("ihi")
    ranges = {api: (low, high) for api, low, high in (read.take("hhh") for _ in range(count))}
    assert error == UNSUPPORTED_VERSION
    assert ranges[API_VERSIONS][0] == 0


@pytest.mark.parametrize("claimed", [2**31 - 1, 1000])
def test_an_array_longer_than_its_frame(connection: Connection, claimed: int) -> None:
    """A false count closes the connection before elements are allocated."""
    connection.send(request(METADATA, 4, struct.pack(">i", claimed) + string("t")))
    assert hung_up(connection)


def test_a_wrong_crc_is_rejected(connection: Connection, topic: str) -> None:
    """Corrupt records are not appended."""
    damaged = bytearray(batch([b"damaged"]))
    damaged[-3] ^= 1
    response = read_produce(connection.request(produce(topic, 0, bytes(damaged))))
    assert response == (CORRUPT_MESSAGE, -1)


def test_a_truncated_batch_is_refused(connection: Connection, topic: str) -> None:
    """A partial batch is not appended."""
    whole = batch([b"to be cut" * 10])
    response = read_produce(connection.request(produce(topic, 0, whole[:-20])))
    assert response.error in (CORRUPT_MESSAGE, 87)
    assert response.base_offset == -1


@pytest.mark.parametrize("acks", [2, -2, 77])
def test_invalid_acks_are_rejected(connection: Connection, topic: str, acks: int) -> None:
    """acks is 0, 1 or all."""
    response = read_produce(connection.request(produce(topic, 0, batch([b"x"]), acks=acks)))
    assert response == (INVALID_REQUIRED_ACKS, -1)


@pytest.mark.parametrize("partition", [1, -1, 2**31 - 1])
def test_an_unknown_partition(connection: Connection, topic: str, partition: int) -> None:
    """It can neither be produced to nor fetched from."""
    written = read_produce(connection.request(produce(topic, partition, batch([b"x"]))))
    read = read_fetch(connection.request(fetch(topic, partition, 0, max_wait_ms=5000)))
    assert written == (UNKNOWN_TOPIC_OR_PARTITION, -1)
    assert (read.error, read.high_watermark) == (UNKNOWN_TOPIC_OR_PARTITION, -1)


def test_an_unknown_topic(connection: Connection, topic: str) -> None:
    """Neither Produce nor Fetch creates it, nor does Metadata without auto-creation."""
    unknown = topic + "-unknown"
    written = read_produce(connection.request(produce(unknown, 0, batch([b"x"]))))
    read = read_fetch(connection.request(fetch(unknown, 0, 0, max_wait_ms=5000)))
    seen = read_metadata(connection.request(metadata([unknown], create=False)))
    assert written.error == read.error == UNKNOWN_TOPIC_OR_PARTITION
    assert seen.topics[unknown] == (UNKNOWN_TOPIC_OR_PARTITION, {})


@pytest.mark.parametrize("offset", [-1, -5, -(2**63), 6, 2**63 - 1])
def test_an_offset_out_of_range(connection: Connection, topic: str, offset: int) -> None:
    """An offset below the log start or above the log end is rejected at once."""
    response = read_fetch(connection.request(fetch(topic, 0, offset, max_wait_ms=60_000)))
    assert (response.error, response.high_watermark) == (OFFSET_OUT_OF_RANGE, -1)


ILLEGAL_NAMES = ["", ".", "..", "a b", "a/b", "../../etc/passwd", "a\0b", "ü", "x" * 250]


@pytest.mark.parametrize("name", ILLEGAL_NAMES)
def test_an_illegal_topic_name_is_not_created(connection: Connection, name: str) -> None:
    """The response contains the error and a message."""
    error, message = read_create_topic(connection.request(create_topic(name)))
    assert error == INVALID_TOPIC_EXCEPTION
    assert message


@pytest.mark.parametrize("name", ILLEGAL_NAMES)
def test_an_illegal_topic_name_in_metadata(connection: Connection, name: str) -> None:
    """It is neither created nor reported as unknown."""
    seen = read_metadata(connection.request(metadata([name])))
    assert seen.topics == {name: (INVALID_TOPIC_EXCEPTION, {})}


def test_invalid_sizes_of_a_topic(connection: Connection, topic: str) -> None:
    """Zero partitions, and more replicas than brokers."""
    none = read_create_topic(connection.request(create_topic(topic + "-0", partitions=0)))
    many = read_create_topic(connection.request(create_topic(topic + "-9", replication=9)))
    assert (none[0], many[0]) == (INVALID_PARTITIONS, INVALID_REPLICATION_FACTOR)
