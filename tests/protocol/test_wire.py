"""The wire's small change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.output import Output
from protocol.wire import Malformed, fixed, nullable_struct, read_uvarint, write_uvarint


@given(st.integers(0, 2**32 - 1))
def test_varints_are_read_as_they_were_written(value: int) -> None:
    """Every 32-bit number takes at most five bytes and comes back."""
    out = Output()
    write_uvarint(out, value)

    assert len(out) <= 5
    assert read_uvarint(memoryview(bytes(out)), 0) == (value, len(out))


@pytest.mark.parametrize("raw", [b"\xff\xff\xff\xff\xff\x01", b"\xff\xff\xff\xff\x7f"])
def test_a_varint_of_more_than_32_bits_is_malformed(raw: bytes) -> None:
    """A number that never ends, and one that is too large."""
    with pytest.raises(Malformed):
        read_uvarint(memoryview(raw), 0)


def test_a_struct_may_be_missing() -> None:
    """One byte tells whether it is there."""
    read, write = nullable_struct(fixed("h"))
    out = Output()
    write(out, None)
    write(out, 7)

    assert bytes(out) == b"\xff\x01\x00\x07"
    assert read(memoryview(b"\xff"), 0) == (None, 1)
    assert read(memoryview(b"\x01\x00\x07"), 0) == (7, 3)
