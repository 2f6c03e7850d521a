"""Tests of removing records from a batch: `protocol.record_batch.filter`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from protocol.compression import Codec
from protocol.record_batch.batch import records
from protocol.record_batch.filter import empty_batch, filter_batch
from protocol.record_batch.header import TRANSACTIONAL_BIT, BatchHeader, check_crc, read_header
from protocol.record_batch.record import Record
from protocol.record_batch.slices import RecordSlice
from tests.broker.storage.logs import NOW_MS, batch_of

HORIZON_MS = NOW_MS + 1000


def sent(*values: bytes | None, **more: Any) -> memoryview:
    """Records with the keys 0, 1, ..., ten milliseconds apart."""
    return batch_of(
        [
            Record(b"%d" % number, value, [("h", b"x")], timestamp=NOW_MS + number * 10)
            for number, value in enumerate(values)
        ],
        **{"base_offset": 100, "producer_id": 7, "producer_epoch": 1, "base_sequence": 40, **more},
    )


def kept(
    data: memoryview,
    keep: Callable[[RecordSlice], bool],
    *,
    keep_empty: bool = False,
) -> memoryview | None:
    left = filter_batch(read_header(data), data, keep, horizon_ms=HORIZON_MS, keep_empty=keep_empty)
    return None if left is None else memoryview(left)


def same_place(one: BatchHeader, other: BatchHeader) -> bool:
    """Whether offsets, producer and leader epoch are the same."""
    return (
        one.base_offset,
        one.last_offset,
        one.partition_leader_epoch,
        one.producer_id,
        one.producer_epoch,
        one.base_sequence,
        one.last_sequence,
    ) == (
        other.base_offset,
        other.last_offset,
        other.partition_leader_epoch,
        other.producer_id,
        other.producer_epoch,
        other.base_sequence,
        other.last_sequence,
    )


def test_a_batch_that_keeps_all_records_is_returned_as_it_is() -> None:
    """It is not copied."""
    data = sent(b"a", b"b")
    left = filter_batch(
        read_header(data), data, lambda _: True, horizon_ms=HORIZON_MS, keep_empty=False
    )
    assert left is data


@pytest.mark.parametrize("codec", Codec)
def test_the_remaining_records_keep_their_offsets(codec: Codec) -> None:
    """Their timestamps and headers do not change either, nor do the offsets of the batch."""
    data = sent(b"a", b"b", b"c", b"d", codec=codec)
    left = kept(data, lambda record: record.key in (b"1", b"2"))
    assert left is not None
    before, after = read_header(data), read_header(left)
    assert same_place(before, after)
    assert (after.records_count, after.codec) == (2, codec)
    assert (after.base_timestamp, after.max_timestamp) == (NOW_MS + 10, NOW_MS + 20)
    assert list(records(left)) == list(records(data))[1:3]
    assert check_crc(left, after)


def test_a_batch_without_remaining_records_is_removed() -> None:
    """With *keep_empty* its header is kept, with the last sequence number of the producer."""
    data = sent(b"a", b"b", codec=Codec.GZIP, attributes=TRANSACTIONAL_BIT)
    assert kept(data, lambda _: False) is None
    left = kept(data, lambda _: False, keep_empty=True)
    assert left is not None
    before, after = read_header(data), read_header(left)
    assert same_place(before, after)
    assert (after.records_count, after.size, after.codec) == (0, 61, Codec.NONE)
    assert (after.base_timestamp, after.max_timestamp) == (-1, before.max_timestamp)
    assert after.is_transactional
    assert check_crc(left, after)
    assert empty_batch(after) == left


def test_a_batch_with_tombstones_gets_a_delete_horizon() -> None:
    """It replaces the base timestamp, to which the timestamps of the records are relative."""
    data = sent(b"a", None)
    left = kept(data, lambda _: True)
    assert left is not None
    header = read_header(left)
    assert (read_header(data).delete_horizon_ms, header.delete_horizon_ms) == (None, HORIZON_MS)
    assert list(records(left)) == list(records(data))
    assert check_crc(left, header)


def test_a_delete_horizon_does_not_change() -> None:
    """A later compaction keeps the first one."""
    first = kept(sent(b"a", b"b", None), lambda _: True)
    assert first is not None
    again = filter_batch(
        read_header(first), first, lambda _: True, horizon_ms=HORIZON_MS + 5, keep_empty=False
    )
    assert again is first
    less = filter_batch(
        read_header(first),
        first,
        lambda record: record.key != b"0",
        horizon_ms=HORIZON_MS + 5,
        keep_empty=False,
    )
    assert less is not None
    assert read_header(less).delete_horizon_ms == HORIZON_MS
    assert list(records(less)) == list(records(first))[1:]


def test_log_append_time_is_kept() -> None:
    """The maximum timestamp is that of every record."""
    data = sent(b"a", b"b", log_append_time=NOW_MS + 77)
    left = kept(data, lambda record: record.key == b"1")
    assert left is not None
    header = read_header(left)
    assert header.is_log_append_time
    assert [record.timestamp for record in records(left)] == [NOW_MS + 77]
