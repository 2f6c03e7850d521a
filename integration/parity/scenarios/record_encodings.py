"""Encoded records: varints of all forms, trailing bytes, attributes and counts."""

from __future__ import annotations

from collections.abc import Iterator

from integration.parity.requests import TIME_MS, batch, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.record_batch.header import read_header
from protocol.record_batch.numbers import varint
from protocol.record_batch.patch import assemble, seal


def _batch(*records: bytes, count: int | None = None, last: int | None = None) -> bytes:
    """A batch of these bytes, with a correct checksum."""
    block = b"".join(records)
    head = read_header(batch("x"))._replace(
        base_timestamp=TIME_MS,
        max_timestamp=TIME_MS,
        records_count=len(records) if count is None else count,
        last_offset_delta=len(records) - 1 if last is None else last,
    )
    return seal(assemble(head, block))


def _record(body: bytes) -> bytes:
    return varint(len(body)) + body


def _records() -> Iterator[tuple[str, bytes]]:
    plain = b"\0\0\0\1\2v\0"  # attributes, deltas of time and offset, no key, a value, no headers
    yield "plain", _record(plain)
    yield "a byte after it", _record(plain + b"x")
    yield "a length of three bytes", b"\x8e\x80\0" + plain
    yield "a length of five bytes", b"\x8e\x80\x80\x80\0" + plain
    yield "a length of six bytes", b"\x8e\x80\x80\x80\x80\0" + plain
    yield "a length below zero", b"\1" + plain
    yield "a length of too much", b"\x10" + plain
    yield "attributes", _record(b"\x7f" + plain[1:])
    yield "a long time", _record(b"\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\0" + plain[2:])
    yield "too long a time", _record(b"\0\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0" + plain[2:])
    yield "a long offset", _record(b"\0\0\x80\x80\x80\x80\0" + plain[3:])
    yield "too long an offset", _record(b"\0\0\x80\x80\x80\x80\x80\0" + plain[3:])
    yield "another offset", _record(b"\0\0\2" + plain[3:])
    yield "a negative offset", _record(b"\0\0\1" + plain[3:])
    yield "a key of length -2", _record(b"\0\0\0\3" + plain[4:])
    yield "a value of length -2", _record(b"\0\0\0\1\3\0")
    yield "a header", _record(plain[:-1] + b"\2\2k\2v")
    yield "a header without a value", _record(plain[:-1] + b"\2\2k\1")
    yield "a header without a key", _record(plain[:-1] + b"\2\1\2v")
    yield "a header with a bad key", _record(plain[:-1] + b"\2\2\xff\2v")
    yield "headers below zero", _record(plain[:-1] + b"\1")
    yield "more headers than bytes", _record(plain[:-1] + b"\x7e\2k\2v")
    yield "a byte after the headers", _record(plain[:-1] + b"\2\2k\2vx")
    yield "a value of length -2 in a header", _record(plain[:-1] + b"\2\2k\3")


@scenario()
def records_in_unusual_forms(kafka: Kafka) -> Observations:
    """Each record is in a batch of its own, with a correct checksum."""
    topic = kafka.topic()
    for what, raw in _records():
        yield what, kafka.request(produce(topic, _batch(raw)))


@scenario()
def counts_of_records(kafka: Kafka) -> Observations:
    """Wrong record counts, offsets out of order, and bytes after the last record."""
    topic = kafka.topic()
    first, second = (_record(bytes([0, 0, 2 * delta]) + b"\1\2v\0") for delta in range(2))
    for what, raw in (
        ("two", _batch(first, second)),
        ("one of two", _batch(first, second, count=1, last=0)),
        ("three of two", _batch(first, second, count=3, last=2)),
        ("none of two", _batch(first, second, count=0, last=0)),
        ("a negative count", _batch(first, count=-1, last=0)),
        ("in disorder", _batch(second, first)),
        ("the same twice", _batch(first, first)),
        ("a last offset too high", _batch(first, second, last=5)),
        ("a last offset too low", _batch(first, second, last=0)),
        ("bytes after the last", _batch(first, b"xyz", count=1, last=0)),
        ("no records", _batch(count=0, last=-1)),
    ):
        yield what, kafka.request(produce(topic, raw))
