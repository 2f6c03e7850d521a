"""Tests of encoding and decoding one record: `protocol.record_batch.record`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.header import TIMESTAMP_TYPE_BIT, read_header
from protocol.record_batch.record import Record, decode_record, encode_record
from tests.batches import batch

HEADER = read_header(batch(b"", timestamp=1000, base_offset=50))
CONTENT = st.none() | st.binary(max_size=50)


@given(CONTENT, CONTENT, st.lists(st.tuples(st.text(max_size=8), CONTENT), max_size=3))
def test_a_record_is_decoded_as_it_was_encoded(
    key: bytes | None, value: bytes | None, headers: list[tuple[str, bytes | None]]
) -> None:
    """Timestamp and offset are relative to those of the batch."""
    block = memoryview(b"x" + encode_record(Record(key, value, headers), 5, 2) + b"y")
    record, end = decode_record(block, 1, HEADER)
    assert record == Record(key, value, headers, 1005, 52)
    assert end == len(block) - 1


def test_with_log_append_time_the_header_has_the_timestamp() -> None:
    """The record's own delta is ignored."""
    header = HEADER._replace(attributes=TIMESTAMP_TYPE_BIT, max_timestamp=77)
    record, _ = decode_record(memoryview(encode_record(Record(None, None), 5, 0)), 0, header)
    assert record.timestamp == 77


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"\0\0\0\1\2v\x08", "claims 4 headers"),
        (b"\0\0\0\1\2v\2\1\1", "a header has no key"),
        (b"\0\0\0\1\2v\0\0", "not as long as the record"),
        (b"\0\0\0\1\x20v\0", "end inside a record"),
    ],
)
def test_fields_that_do_not_fit_are_corrupt(body: bytes, message: str) -> None:
    """The lengths in a record must agree with the record's length and the block's end."""
    block = bytes((len(body) << 1,)) + body
    with pytest.raises(CorruptRecords, match=message):
        decode_record(memoryview(block), 0, HEADER)
