"""Reading one header of the records in batches: `protocol.record_batch.headers`."""

from __future__ import annotations

import pytest

from protocol.compression import Codec
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.headers import HeaderBudget, header_values
from protocol.record_batch.record import Record

NAME = b"traceparent"


def record(*values: bytes | None, name: str = "traceparent") -> Record:
    """A record with a header before those with *values*."""
    return Record(b"k", None, [("other", None), *((name, value) for value in values)], 0)


def values(data: bytes, items: int = 100, size: int = 10_000) -> list[bytes]:
    """What is found in *data* within a budget."""
    return list(header_values(memoryview(data), NAME, HeaderBudget(items, size)))


@pytest.mark.parametrize("codec", Codec)
def test_each_value_of_the_header_is_found(codec: Codec) -> None:
    """In all batches and records, compressed or not."""
    data = build_batch([record(b"a", b"b"), record(), record(b"c")], codec=codec)

    assert values(data + data) == [b"a", b"b", b"c"] * 2


@pytest.mark.parametrize("name", ["Traceparent", "xtraceparent", "traceparent2"])
def test_other_names_are_not_found(name: str) -> None:
    """A name is equal or another one."""
    assert values(build_batch([record(b"a", name=name)])) == []


def test_the_name_in_a_value_is_not_a_header() -> None:
    """Only headers are compared."""
    assert values(build_batch([Record(NAME, NAME, [("other", NAME)], 0)])) == []


def test_the_reading_ends_with_the_budget_of_records_and_headers() -> None:
    """A record with two headers counts as three."""
    data = build_batch([record(b"a"), record(b"b")])

    assert values(data, items=6) == [b"a", b"b"]
    assert values(data, items=5) == [b"a"]


def test_a_batch_that_decompresses_to_more_than_the_budget_is_not_read() -> None:
    """Nor are those after it."""
    data = build_batch([record(b"a" * 1000)], codec=Codec.GZIP)

    assert values(data, size=900) == []


def test_control_batches_are_not_read() -> None:
    """The broker writes them."""
    assert values(build_batch([record(b"a")], attributes=32)) == []


def test_any_bytes_end_the_reading() -> None:
    """The values before them are found."""
    data = build_batch([record(b"a")])

    for end in range(len(data)):
        assert values(data + data[:end]) == [b"a"]
    for at in range(HEADER_BYTES, len(data)):
        broken = bytearray(data)
        for byte in (0, 1, 0x7F, 0x80, 0xFF):
            broken[at] = byte
            values(bytes(broken))
    assert values(b"\0" * 100) == []
