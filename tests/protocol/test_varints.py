"""Tests of unsigned varints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.varints import Malformed, read_uvarint, write_uvarint


@given(st.integers(0, 2**31 - 1))
def test_varints_are_read_as_they_were_written(value: int) -> None:
    """A varint has at most five bytes and is decoded as it was encoded."""
    out = bytearray()
    write_uvarint(out, value)

    assert len(out) <= 5
    assert read_uvarint(memoryview(bytes(out)), 0) == (value, len(out))


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"\x82\0", 2),
        (b"\x82\x80\x80\x80\0", 2),
        (b"\x82\x80\x80\x80\x10", 2),
        (b"\xff\xff\xff\xff\x07", 2**31 - 1),
        (b"\x80\x80\x80\x80\x08", -(2**31)),
        (b"\xff\xff\xff\xff\x0f", -1),
        (b"\xff\xff\xff\xff\x7f", -1),
    ],
)
def test_a_varint_is_read_as_an_int32(raw: bytes, value: int) -> None:
    """Redundant bytes are accepted, bits beyond the 32nd are dropped, the 32nd is the sign."""
    assert read_uvarint(memoryview(raw), 0) == (value, len(raw))


def test_a_varint_of_more_than_five_bytes_is_malformed() -> None:
    """A varint of more than five bytes raises Malformed, whatever its value."""
    for raw in (b"\xff\xff\xff\xff\xff\x01", b"\x82\x80\x80\x80\x80\0"):
        with pytest.raises(Malformed):
            read_uvarint(memoryview(raw), 0)
