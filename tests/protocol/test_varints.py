"""Unsigned varints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.varints import Malformed, read_uvarint, write_uvarint


@given(st.integers(0, 2**32 - 1))
def test_varints_are_read_as_they_were_written(value: int) -> None:
    """Every 32-bit number takes at most five bytes and comes back."""
    out = bytearray()
    write_uvarint(out, value)

    assert len(out) <= 5
    assert read_uvarint(memoryview(bytes(out)), 0) == (value, len(out))


@pytest.mark.parametrize("raw", [b"\xff\xff\xff\xff\xff\x01", b"\xff\xff\xff\xff\x7f"])
def test_a_varint_of_more_than_32_bits_is_malformed(raw: bytes) -> None:
    """A number that never ends, and one that is too large."""
    with pytest.raises(Malformed):
        read_uvarint(memoryview(raw), 0)
