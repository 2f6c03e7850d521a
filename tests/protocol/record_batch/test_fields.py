"""Tests of reading single fields of records: `protocol.record_batch.fields`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import build_batch
from protocol.record_batch.fields import (
    are_as_encoded,
    encoded_again,
    record_fields,
    timestamps_and_offsets,
)
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.record import Record


def block_of(batch: list[Record]) -> bytes:
    return build_batch(batch)[HEADER_BYTES:]


def test_records_are_encoded_again_relative_to_the_first() -> None:
    """Offset deltas, timestamp deltas and attributes are as in a new batch."""
    batch = [Record(b"k", b"v%d" % i, [("h", b"x")], 900 - i, 1000 * i + 1) for i in range(5)]
    longer = [Record(None, b"", timestamp=5, offset=0), *batch]
    block = bytearray(block_of(longer)[len(block_of(longer[:1])) :])
    block[1] = 7
    expected = block_of([replace(record, offset=-1) for record in batch])
    assert encoded_again(bytes(block), 5, same_timestamp=False) == expected


def test_records_are_encoded_again_with_the_same_timestamp() -> None:
    """All deltas are 0."""
    batch = [Record(b"k", b"v", timestamp=900 + 100 * i) for i in range(5)]
    block = encoded_again(block_of(batch), 5, same_timestamp=True)
    assert block == block_of([replace(record, timestamp=900) for record in batch])


@pytest.mark.parametrize("index", [0, 3])
def test_an_attribute_of_any_record_is_found(index: int) -> None:
    """Attributes are cleared when a batch is encoded again."""
    block = bytearray(block_of([Record(b"k", b"v", timestamp=i) for i in range(5)]))
    assert are_as_encoded(bytes(block), 5)
    block[index * len(block) // 5 + 1] = 1
    assert not are_as_encoded(bytes(block), 5)


def test_fields_are_read_for_each_record() -> None:
    """For each record its deltas and the sizes of key and value."""
    batch = [Record(None, b"v", timestamp=7), Record(b"key", None, timestamp=4)]
    assert list(record_fields(block_of(batch), 2)) == [(0, 0, -1, 1), (-3, 1, 3, -1)]


@pytest.mark.parametrize("size", [1, 3, 10, 50, 1000])
def test_timestamps_and_offsets_are_read_from_pieces(size: int) -> None:
    """Wherever the pieces are cut."""
    batch = [Record(b"k" * 40, b"v" * 70 * i, timestamp=9 - i, offset=3 * i) for i in range(9)]
    block = block_of(batch)
    pieces = [block[at : at + size] for at in range(0, len(block), size)]
    found = list(timestamps_and_offsets(pieces, 9))

    assert found == [(-i, 3 * i) for i in range(9)]
    for count, cut in ((10, 0), (9, 1)):
        with pytest.raises(CorruptRecords, match="end inside a record"):
            list(timestamps_and_offsets([block[: len(block) - cut]], count))
