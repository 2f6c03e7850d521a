"""Tests of records as compaction needs them: `protocol.record_batch.slices`."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.compression import Codec
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import build_batch, records
from protocol.record_batch.header import HEADER_BYTES, read_header
from protocol.record_batch.record import Record
from protocol.record_batch.slices import encode_slices, record_slices
from tests.broker.storage.logs import NOW_MS, batch

ANY_RECORDS = st.lists(
    st.builds(
        Record,
        key=st.none() | st.binary(max_size=40),
        value=st.none() | st.binary(max_size=200),
        headers=st.lists(st.tuples(st.text(max_size=5), st.none() | st.binary(max_size=9))),
        timestamp=st.integers(0, 2**40),
        offset=st.just(-1),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=50)
@given(ANY_RECORDS, st.sampled_from(Codec))
def test_slices_agree_with_the_decoded_records(values: list[Record], codec: Codec) -> None:
    """Offset, timestamp, key, and whether there is a value."""
    data = memoryview(build_batch(values, base_offset=50, codec=codec))
    found = [
        (each.offset, each.timestamp, each.key, each.has_value)
        for each in record_slices(read_header(data), data)
    ]
    assert found == [(r.offset, r.timestamp, r.key, r.value is not None) for r in records(data)]


@settings(max_examples=50)
@given(ANY_RECORDS)
def test_slices_are_encoded_as_the_same_block(values: list[Record]) -> None:
    """Byte for byte, if base offset and base timestamp are the same."""
    data = memoryview(build_batch(values, base_offset=50))
    header = read_header(data)
    slices = list(record_slices(header, data))
    assert encode_slices(slices, 50, header.base_timestamp) == data[HEADER_BYTES:]


def test_with_log_append_time_all_records_have_the_brokers_time() -> None:
    """The timestamp of the header."""
    values = [Record(None, b"v", timestamp=NOW_MS + at) for at in range(3)]
    data = memoryview(build_batch(values, log_append_time=NOW_MS + 9))
    assert {each.timestamp for each in record_slices(read_header(data), data)} == {NOW_MS + 9}


@pytest.mark.parametrize("at", [0, 4, 6])
def test_lengths_that_do_not_fit_are_corrupt(at: int) -> None:
    """The lengths of record, key and value must agree."""
    data = batch(1, key=b"k")
    data[HEADER_BYTES + at] = 0x7E
    with pytest.raises(CorruptRecords):
        list(record_slices(read_header(data), data))
