"""Tests of reading single header fields: `protocol.record_batch.peek`."""

from __future__ import annotations

import pytest

from protocol.compression import Codec
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import HEADER_BYTES, TRANSACTIONAL_BIT, read_header
from protocol.record_batch.peek import (
    EXTENT_BYTES,
    batch_size_at,
    extents,
    is_transactional,
    magic_and_codec,
    size_and_count,
    v2_size_at,
)
from tests.batches import batch, with_header

ONE = batch(b"1", base_offset=5)
TWO = batch(b"2", b"2", base_offset=9, codec=Codec.GZIP)


def test_fields_are_those_of_the_decoded_header() -> None:
    """Each function reads the same values as `read_header`."""
    for data in (ONE, TWO):
        header = read_header(data)
        assert size_and_count(data) == (header.size, header.records_count)
        assert magic_and_codec(data) == (2, header.codec)
    assert size_and_count(ONE + TWO, len(ONE)) == (len(TWO), 2)


def test_a_transactional_batch_is_recognised() -> None:
    """Only the transactional bit counts."""
    assert is_transactional(batch(b"1", attributes=TRANSACTIONAL_BIT))
    assert not is_transactional(with_header(ONE, attributes=0x7F & ~TRANSACTIONAL_BIT))


def test_a_complete_batch_has_a_size() -> None:
    """An incomplete batch has none, in any format and in v2."""
    data = ONE + TWO
    for size_at in (batch_size_at, v2_size_at):
        assert size_at(data, 0) == len(ONE)
        assert size_at(data, len(ONE)) == len(TWO)
        assert size_at(data, len(data)) is None
        assert all(size_at(ONE[:end], 0) is None for end in range(len(ONE)))


def test_an_impossible_length_or_magic_is_corrupt() -> None:
    """No format has a length below 14 bytes or a magic above 2."""
    for impossible in ({"batch_length": 13}, {"batch_length": -1}, {"magic": 3}, {"magic": -128}):
        with pytest.raises(CorruptRecords, match=r"magic found|less than the minimum"):
            batch_size_at(with_header(ONE, **impossible), 0)


def test_a_size_below_the_header_is_no_v2_batch() -> None:
    """A batch of an older format may be that short."""
    short = with_header(ONE, batch_length=20, magic=1)
    assert batch_size_at(short, 0) == 32
    assert v2_size_at(short, 0) is None


def test_extents_follow_each_other() -> None:
    """Position, size, base offset and last offset; the last batch may be cut."""
    expected = [(0, len(ONE), 5, 5), (len(ONE), len(TWO), 9, 10)]
    assert list(extents(ONE + TWO)) == expected
    assert list(extents((ONE + TWO)[:-1])) == expected
    assert list(extents((ONE + TWO)[: len(ONE) + EXTENT_BYTES])) == expected
    assert list(extents((ONE + TWO)[: len(ONE) + EXTENT_BYTES - 1])) == expected[:1]


def test_an_extent_below_the_header_is_corrupt() -> None:
    """The batches before it have been yielded."""
    found = extents(ONE + bytes(HEADER_BYTES))
    assert next(found)[0] == 0
    with pytest.raises(CorruptRecords, match="a length of 0 bytes"):
        next(found)
