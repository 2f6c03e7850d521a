"""Tests of reading numbers of fixed width from bytes."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.big_endian import (
    boolean_at,
    int8_at,
    int16_at,
    int32_at,
    int64_at,
    uint16_at,
    uuid_at,
)

READ: dict[str, Callable[[bytes, int], Any]] = {
    "?": boolean_at,
    "b": int8_at,
    "h": int16_at,
    "H": uint16_at,
    "i": int32_at,
    "q": int64_at,
}


@pytest.mark.parametrize("format_", READ)
@given(raw=st.binary(min_size=8, max_size=8), pos=st.integers(0, 7))
def test_a_number_is_that_of_struct(format_: str, raw: bytes, pos: int) -> None:
    """At any position."""
    padded = raw + raw

    assert (READ[format_](padded, pos),) == struct.unpack_from(f">{format_}", padded, pos)


@pytest.mark.parametrize("format_", READ)
def test_a_number_beyond_the_end_is_an_index_error(format_: str) -> None:
    """Also if its first octets are available."""
    raw = bytes(struct.calcsize(f">{format_}"))

    assert READ[format_](raw, 0) == 0
    with pytest.raises(IndexError):
        READ[format_](raw, 1)


def test_a_uuid_is_sixteen_octets() -> None:
    """The same UUID is one object; fewer octets raise IndexError."""
    raw = bytes(range(17))

    assert uuid_at(raw, 1) == uuid.UUID(bytes=raw[1:])
    assert uuid_at(raw, 1) is uuid_at(raw, 1)
    with pytest.raises(IndexError):
        uuid_at(raw, 2)
