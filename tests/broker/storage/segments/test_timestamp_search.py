"""Tests of the search in one batch: `broker.storage.segments.timestamp_search`."""

from __future__ import annotations

import pytest

from broker.storage.segments.timestamp_search import SHORT_RECORDS_MAX, Examination
from protocol.compression import Codec
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import build_batch
from protocol.record_batch.header import read_header
from protocol.record_batch.record import Record


def examination(batch: bytes, timestamp: int, from_offset: int = 0) -> Examination:
    return Examination(read_header(batch), memoryview(batch), timestamp, from_offset)


@pytest.mark.parametrize("codec", list(Codec))
def test_the_first_matching_record_is_found(codec: Codec) -> None:
    """From an offset on; some records are longer than a piece."""
    values = [Record(None, bytes(1 + i % 7 * 100_000), timestamp=1000 + i) for i in range(50)]
    whole = build_batch(values, base_offset=200, codec=codec, partition_leader_epoch=3)

    assert examination(whole, 1020).first_record() == (220, 1020, 3)
    assert examination(whole, 1020, 240).first_record() == (240, 1040, 3)
    assert examination(whole, 1050).first_record() is None


def test_records_that_are_cut_short_are_corrupt() -> None:
    """The file may be damaged."""
    whole = build_batch([Record(None, b"value", timestamp=5)] * 3)
    header = read_header(whole)._replace(records_count=4)
    with pytest.raises(CorruptRecords, match="end inside a record"):
        Examination(header, memoryview(whole), 6, 0).first_record()


def test_the_header_shows_that_a_batch_is_short() -> None:
    """A compressed one may be a decompression bomb."""
    few, many = [Record(None, b"")], [Record(None, b"")] * (SHORT_RECORDS_MAX + 1)
    assert examination(build_batch(few), 0).is_short
    assert not examination(build_batch(many), 0).is_short
    assert not examination(build_batch(few, codec=Codec.ZSTD), 0).is_short
