"""Tests of the header of a record batch."""

from __future__ import annotations

import pytest

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import (
    HEADER_BYTES,
    INT32_MAX,
    add_sequence,
    check_crc,
    read_header,
)
from protocol.record_batch.record import Record


def test_a_header_cut_short_is_corrupt() -> None:
    """A truncated header raises CorruptRecords, not struct.error."""
    with pytest.raises(CorruptRecords, match="inside a batch header"):
        read_header(bytes(HEADER_BYTES - 1))


def test_a_changed_byte_is_noticed() -> None:
    """The checksum detects a changed byte."""
    data = bytearray(build_batch([Record(None, b"value")]))
    data[-1] ^= 1
    assert not check_crc(data, 0, read_header(data))


def test_sequence_numbers_wrap_to_zero() -> None:
    """Sequence numbers wrap to zero and are never negative."""
    assert add_sequence(INT32_MAX, 1) == 0
    assert add_sequence(INT32_MAX - 1, 3) == 1


def test_no_sequence_has_no_last_one() -> None:
    """The last sequence of a producer that is not idempotent is -1."""
    assert read_header(build_batch([Record(None, b"v")])).last_sequence == -1
