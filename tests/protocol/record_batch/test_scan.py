"""Tests of the check of a batch's records: `protocol.record_batch.scan`."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.record_batch import scan as record_scan
from protocol.record_batch.batch import build_batch, records
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.numbers import InvalidRecord, varint
from protocol.record_batch.record import Record, encode_record
from protocol.record_batch.scan import (
    RecordsSummary,
    TooManyHeaders,
    summarise,
    summarise_pieces,
)

NAMES = st.text(max_size=5)
VALUES = st.none() | st.binary(max_size=200)
RECORDS = st.builds(
    Record,
    key=st.none() | st.binary(max_size=80),
    value=VALUES,
    headers=st.lists(st.tuples(NAMES, VALUES), max_size=2),
    timestamp=st.integers(-(2**40), 2**40),
    offset=st.just(-1),
)


def block_of(batch: list[Record]) -> bytes:
    return build_batch(batch)[HEADER_BYTES:]


def summarised(block: bytes, count: int) -> RecordsSummary | str:
    """The summary, or the error."""
    try:
        return summarise(block, count)
    except InvalidRecord as error:
        return str(error)


def summarised_where_they_lie(block: bytes, count: int) -> RecordsSummary | str:
    """The summary by the check for large records."""
    with patch.multiple(record_scan, _COPIED_BYTES=0, _COPIED_RECORD_BYTES=0):
        return summarised(block, count)


@given(st.lists(RECORDS, min_size=1, max_size=20))
def test_the_summary_agrees_with_the_decoded_records(batch: list[Record]) -> None:
    """Maximum and minimum timestamp, keys and offsets, of records of any shape."""
    deltas = [record.timestamp - batch[0].timestamp for record in batch]
    block, count = block_of(batch), len(batch)
    assert summarise(block, count) == RecordsSummary(
        max(deltas), min(deltas), any(record.key is None for record in batch), True
    )
    assert summarised_where_they_lie(block, count) == summarise(block, count)


@given(st.lists(RECORDS, min_size=1, max_size=8), st.data())
def test_changed_bytes_are_invalid_or_decoded_alike(
    batch: list[Record], data: st.DataObject
) -> None:
    """After a change of a byte the check fails, or agrees with the decoded records."""
    whole = bytearray(build_batch(batch))
    at = data.draw(st.integers(HEADER_BYTES, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    block = bytes(whole[HEADER_BYTES:])
    summary = summarised(block, len(batch))
    assert summarised_where_they_lie(block, len(batch)) == summary
    if isinstance(summary, str):
        return
    read = list(records(whole))
    timestamps = [record.timestamp - batch[0].timestamp for record in read]
    assert (summary.max_timestamp_delta, summary.min_timestamp_delta) == (
        max(timestamps),
        min(timestamps),
    )
    assert summary.has_null_key == any(record.key is None for record in read)


@given(st.lists(RECORDS, min_size=1, max_size=8), st.integers(1, 30))
def test_a_block_cut_short_is_invalid(batch: list[Record], cut: int) -> None:
    """For any number of missing bytes."""
    block = block_of(batch)
    with pytest.raises(InvalidRecord):
        summarise(block[: max(0, len(block) - cut)], len(batch))


@pytest.mark.parametrize("size", [20, 5000, 20_000, 3_000_000])
def test_records_of_any_size_are_checked(size: int) -> None:
    """In a writable buffer too, and with lengths of one to four bytes."""
    batch = [Record(None, bytes(size), timestamp=time) for time in range(12)]
    view = memoryview(bytearray(block_of(batch)))
    assert summarise(view, len(batch)) == RecordsSummary(11, 0, True, True)
    with pytest.raises(InvalidRecord):
        summarise(view[:-1], len(batch))


def test_bytes_after_the_last_record_are_invalid() -> None:
    """The records must fill the block."""
    with pytest.raises(InvalidRecord, match="1 bytes follow"):
        summarise(block_of([Record(b"k", b"v")]) + b"\x00", 1)


def test_a_record_with_a_negative_length_is_invalid() -> None:
    """The odd zig-zag numbers are negative."""
    with pytest.raises(InvalidRecord, match="longer than the batch"):
        summarise(b"\x01" + bytes(10), 1)


def test_a_record_that_ends_early_is_invalid() -> None:
    """A record must have exactly its declared length."""
    body = encode_record(Record(None, b"v"), 0, 0)[1:] + b"\x00"
    with pytest.raises(InvalidRecord, match="does not end where it says"):
        summarise(varint(len(body)) + body, 1)


@pytest.mark.parametrize("count", [b"\x01", b"\x7e"])
def test_an_impossible_number_of_headers_is_invalid(count: bytes) -> None:
    """A negative one, or more than the remaining bytes."""
    body = b"\x00\x00\x00\x01\x01" + count
    with pytest.raises(InvalidRecord, match="impossible number of headers"):
        summarise(varint(len(body)) + body, 1)


def test_a_header_without_a_key_is_invalid() -> None:
    """The value of a header may be null, its key may not."""
    body = b"\x00\x00\x00\x01\x01\x02\x01\x01"
    with pytest.raises(InvalidRecord, match="has no key"):
        summarise(varint(len(body)) + body, 1)


def test_offsets_that_are_not_consecutive_are_reported() -> None:
    """They are valid; a compressed batch is rebuilt because of them."""
    batch = [Record(None, b"v", offset=0), Record(None, b"v", offset=2)]
    assert not summarise(block_of(batch), 2).offsets_consecutive


def cut(block: bytes, sizes: list[int]) -> list[bytes]:
    """*block* in pieces of these sizes, which are repeated."""
    pieces: list[bytes] = []
    at = 0
    while at < len(block):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(block[at : at + size])
        at += size
    return pieces


@given(
    st.lists(RECORDS, min_size=1, max_size=20),
    st.lists(st.integers(1, 300), min_size=1, max_size=5),
    st.data(),
)
def test_pieces_are_checked_as_the_whole(
    batch: list[Record], sizes: list[int], data: st.DataObject
) -> None:
    """Wherever they are cut, and also if a byte is changed."""
    block = bytearray(block_of(batch))
    at = data.draw(st.integers(0, len(block) - 1))
    block[at] = data.draw(st.just(block[at]) | st.integers(0, 255))
    whole = summarised(bytes(block), len(batch))
    try:
        walked = summarise_pieces(cut(bytes(block), sizes), len(batch))
    except InvalidRecord:
        assert isinstance(whole, str)
    else:
        assert walked == whole


def test_a_record_longer_than_a_piece_is_joined_once() -> None:
    """Pieces are collected until they have as many bytes as the record's length."""
    block = block_of([Record(None, bytes(100_000)), Record(b"k", b"v")])
    walks: list[int] = []

    def counted(data: bytes, *rest: Any) -> object:
        walks.append(len(data))
        return walk(data, *rest)

    walk = record_scan._walk  # noqa: SLF001 - counts the calls
    with patch.object(record_scan, "_walk", counted):
        summary = summarise_pieces(cut(block, [1000]), 2)

    assert summary == RecordsSummary(0, 0, True, True)
    assert len(walks) <= 4


def test_a_record_in_pieces_has_a_maximum_size() -> None:
    """No pieces are collected for a larger length."""
    claim = varint(record_scan.RECORD_BYTES_MAX + 1)
    with pytest.raises(InvalidRecord, match="longer than the batch"):
        summarise_pieces([claim + bytes(50)], 1)


@pytest.mark.parametrize("large", [False, True])
def test_a_check_ends_at_too_many_headers(large: bool) -> None:
    """The limit is for all records together."""
    size = 2_100_000 if large else 1
    batch = [Record(None, bytes(size), [("h", b"")] * 3)] * 2
    block = block_of(batch)
    assert summarise(block, 2, 6).has_null_key
    with pytest.raises(TooManyHeaders):
        summarise(block, 2, 5)
