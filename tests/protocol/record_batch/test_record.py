"""Tests of encoding and decoding one record."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.record import read_varint, varint


@given(st.integers(-(2**63), 2**63 - 1))
def test_varints_are_read_as_written(number: int) -> None:
    """All 64-bit numbers are decoded as they were encoded."""
    written = varint(number)
    assert read_varint(written, 0) == (number, len(written))


def test_an_endless_varint_is_corrupt() -> None:
    """A varint of more than ten bytes raises CorruptRecords."""
    with pytest.raises(CorruptRecords, match="more than ten bytes"):
        read_varint(b"\xff" * 20, 0)
