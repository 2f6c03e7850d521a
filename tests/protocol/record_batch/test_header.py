"""Tests of the header of a record batch: `protocol.record_batch.header`."""

from __future__ import annotations

import pytest

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import (
    DELETE_HORIZON_BIT,
    HEADER,
    HEADER_BYTES,
    INT32_MAX,
    BatchHeader,
    add_sequence,
    check_crc,
    read_header,
)
from tests.batches import batch


def test_a_header_has_61_bytes() -> None:
    """Every field is decoded as it was encoded."""
    header = BatchHeader(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13)
    assert HEADER_BYTES == 61
    assert read_header(b"x" + HEADER.pack(*header), 1) == header


def test_a_header_cut_short_is_corrupt() -> None:
    """A truncated header raises CorruptRecords, not struct.error."""
    with pytest.raises(CorruptRecords, match="inside a batch header"):
        read_header(bytes(HEADER_BYTES - 1))


def test_a_changed_byte_makes_the_checksum_wrong() -> None:
    """The checksum covers the records."""
    data = bytearray(batch(b"value"))
    assert check_crc(data, read_header(data))
    data[-1] ^= 1
    assert not check_crc(data, read_header(data))


def test_the_delete_horizon_takes_the_place_of_the_base_timestamp() -> None:
    """Without the bit in the attributes there is no horizon."""
    header = read_header(batch(b"v", timestamp=1000))
    assert header.delete_horizon_ms is None
    assert header._replace(attributes=DELETE_HORIZON_BIT).delete_horizon_ms == 1000


def test_sequence_numbers_wrap_to_zero() -> None:
    """Sequence numbers wrap to zero and are never negative."""
    assert add_sequence(INT32_MAX, 1) == 0
    assert add_sequence(INT32_MAX - 1, 3) == 1


def test_a_batch_without_sequence_has_no_last_sequence() -> None:
    """The last sequence of a producer that is not idempotent is -1."""
    assert read_header(batch(b"v")).last_sequence == -1
