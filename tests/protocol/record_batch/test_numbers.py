"""Zig-zag numbers of any length: `protocol.record_batch.numbers`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.record_batch.numbers import INT64_BITS, InvalidRecord, zigzag_at
from protocol.record_batch.record import varint


@given(st.integers(-(2**63), 2**63 - 1))
def test_a_number_is_read_as_it_was_written(number: int) -> None:
    """And the position behind it is told."""
    data = b"x" + varint(number) + b"y"
    zigzag, end = zigzag_at(data, 1, INT64_BITS)
    assert ((zigzag >> 1) ^ -(zigzag & 1), end) == (number, len(data) - 1)


def test_bits_beyond_the_type_are_dropped() -> None:
    """Five bytes hold 35 bits, an int32 only 32 of them."""
    assert zigzag_at(b"\xff\xff\xff\xff\x7f", 0) == (2**32 - 1, 5)


def test_a_number_without_end_is_refused() -> None:
    """Five bytes are the most that a length can have."""
    with pytest.raises(InvalidRecord, match="longer than its type"):
        zigzag_at(b"\xff" * 20, 0)
