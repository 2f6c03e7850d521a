"""Tests of zig-zag varints: `protocol.record_batch.numbers`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.record_batch.numbers import (
    INT64_BITS,
    InvalidRecord,
    read_varint,
    varint,
    zigzag_at,
)


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_is_decoded_as_it_was_encoded(number: int) -> None:
    """All 64-bit numbers; the position after the varint is returned."""
    data = b"x" + varint(number) + b"y"
    zigzag, end = zigzag_at(data, 1, INT64_BITS)
    assert ((zigzag >> 1) ^ -(zigzag & 1), end) == (number, len(data) - 1)
    assert read_varint(data, 1) == (number, len(data) - 1)


def test_bits_beyond_the_type_are_dropped() -> None:
    """Five bytes have 35 bits, of which an int32 has 32."""
    assert zigzag_at(b"\xff\xff\xff\xff\x7f", 0) == (2**32 - 1, 5)


def test_a_varint_with_too_many_bytes_is_invalid() -> None:
    """An int32 has at most five bytes, an int64 ten."""
    with pytest.raises(InvalidRecord, match="longer than its type"):
        zigzag_at(b"\xff" * 5 + b"\0", 0)
    with pytest.raises(InvalidRecord, match="longer than its type"):
        read_varint(b"\xff" * 10 + b"\0", 0)


def test_a_varint_that_is_cut_short_is_an_index_error() -> None:
    """The caller knows what was cut."""
    for read in (zigzag_at, read_varint):
        with pytest.raises(IndexError):
            read(b"\xff\xff", 0)
