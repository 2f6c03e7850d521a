"""Tests of reading single fields of records: `protocol.record_batch.fields`."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import build_batch
from protocol.record_batch.fields import (
    record_timestamps_and_keys,
    renumber,
    timestamps_and_offsets,
)
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.record import Record


def block_of(batch: list[Record]) -> bytes:
    return build_batch(batch)[HEADER_BYTES:]


def test_renumbering_changes_only_offset_deltas() -> None:
    """A new delta may have fewer bytes."""
    batch = [Record(b"k", b"v%d" % i, [("h", b"x")], 5 + i, 1000 * i) for i in range(5)]
    block = renumber(block_of(batch), 5)
    assert block == block_of([replace(record, offset=-1) for record in batch])


def test_timestamps_and_keys_are_read_for_each_record() -> None:
    """For each record its timestamp delta and whether it has a key."""
    batch = [Record(None, b"v", timestamp=7), Record(b"k", b"v", timestamp=4)]
    assert list(record_timestamps_and_keys(block_of(batch), 2)) == [(0, False), (-3, True)]


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
