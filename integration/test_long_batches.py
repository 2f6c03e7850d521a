"""Batches with a long validation do not block other clients, and memory stays bounded."""

from __future__ import annotations

import gzip
import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from antechamber import Cluster
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce
from integration.wire.topics import make_topic
from protocol.compression import Codec, compress
from protocol.record_batch.header import BatchHeader
from protocol.record_batch.patch import assemble, seal
from protocol.record_batch.record import Record, encode_record

MEGABYTE = 1 << 20
SERVED_MIN = 10  # small requests of another client during one validation


def long_batch(block: bytes, count: int, codec: Codec) -> bytes:
    """A batch of *count* records whose compressed form is *block*."""
    now_ms = int(time.time() * 1000)
    header = BatchHeader(0, 0, -1, 2, 0, codec, count - 1, now_ms, now_ms, -1, -1, -1, count)
    return seal(assemble(header, block))


def uneven() -> bytes:
    """Records of different sizes, so that each is parsed by itself."""
    chance = random.Random(5)
    records = (Record(None, bytes(chance.randrange(4))) for _ in range(250_000))
    plain = b"".join(encode_record(each, 0, index) for index, each in enumerate(records))
    return long_batch(compress(Codec.GZIP, plain), 250_000, Codec.GZIP)


def many_headers() -> bytes:
    """One record with a million empty headers, in a few kilobytes."""
    record = encode_record(Record(None, None, [("", b"")] * 1_000_000), 0, 0)
    return long_batch(compress(Codec.ZSTD, record), 1, Codec.ZSTD)


def empty_members() -> bytes:
    """One record, and tens of thousands of empty gzip members."""
    record = encode_record(Record(None, b"v"), 0, 0)
    return long_batch(gzip.compress(record) + gzip.compress(b"") * 40_000, 1, Codec.GZIP)


def bomb(codec: Codec, records: int, record_bytes: int) -> bytes:
    """Records of zeros, which are compressed to a few bytes."""
    value = Record(None, bytes(record_bytes))
    plain = b"".join(encode_record(value, 0, index) for index in range(records))
    return long_batch(compress(codec, plain), records, codec)


@pytest.fixture
def broker(cluster: Callable[..., Cluster], topic: str) -> Cluster:
    """A broker of the test, with a topic."""
    started = cluster()
    with Connection(started.bootstrap) as connection:
        make_topic(connection, topic)
    return started


def peak_bytes(broker: Cluster) -> int:
    """The peak memory of the process."""
    status_file = Path(f"/proc/{broker.pid}/status")
    if not status_file.exists():
        pytest.skip("needs /proc")
    status = status_file.read_text()
    [line] = [each for each in status.splitlines() if each.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("make", [uneven, many_headers, empty_members])
def test_others_are_served_while_a_long_batch_is_validated(
    broker: Cluster, topic: str, make: Callable[[], bytes]
) -> None:
    """Later requests of others get their responses earlier."""
    long, short = make(), batch([b"v"])
    with Connection(broker.bootstrap) as sender, Connection(broker.bootstrap) as other:
        read_produce(other.request(produce(topic, 0, short)))
        sender.send(produce(topic, 0, long))
        offsets = [read_produce(other.request(produce(topic, 0, short))) for _ in range(SERVED_MIN)]
        error, long_offset = read_produce(sender.receive())

    assert error == 0
    assert [each.error for each in offsets] == [0] * SERVED_MIN
    assert all(each.base_offset < long_offset for each in offsets)


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.LZ4])
def test_a_batch_of_many_megabytes_is_never_held_as_a_whole(
    broker: Cluster, topic: str, codec: Codec
) -> None:
    """It is decompressed in pieces: memory grows by a small part of it."""
    with Connection(broker.bootstrap) as sender:
        read_produce(sender.request(produce(topic, 0, batch([b"v"]))))
        before = peak_bytes(broker)
        assert (
            read_produce(sender.request(produce(topic, 0, bomb(codec, 100, MEGABYTE)))).error == 0
        )

        assert peak_bytes(broker) - before < 100 * MEGABYTE / 4


@pytest.mark.parametrize("codec", [Codec.GZIP, Codec.LZ4, Codec.ZSTD])
def test_a_record_takes_at_most_three_times_its_size(
    broker: Cluster, topic: str, codec: Codec
) -> None:
    """The size of its batch does not matter."""
    size = 60 * MEGABYTE
    with Connection(broker.bootstrap) as sender:
        read_produce(sender.request(produce(topic, 0, batch([b"v"]))))
        before = peak_bytes(broker)
        assert read_produce(sender.request(produce(topic, 0, bomb(codec, 1, size)))).error == 0

        assert peak_bytes(broker) - before < 3 * size
