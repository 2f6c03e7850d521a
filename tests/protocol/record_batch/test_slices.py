"""Records as a compaction sees them: `protocol.record_batch.slices`."""

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
def test_they_say_what_the_records_say(values: list[Record], codec: Codec) -> None:
    """Offset, time, key, and whether there is a value."""
    data = memoryview(build_batch(values, base_offset=50, codec=codec))
    found = [
        (each.offset, each.timestamp, each.key, each.has_value)
        for each in record_slices(read_header(data), data)
    ]
    assert found == [(r.offset, r.timestamp, r.key, r.value is not None) for r in records(data)]


@settings(max_examples=50)
@given(ANY_RECORDS)
def test_joined_with_the_same_bases_they_are_the_block_again(values: list[Record]) -> None:
    """Byte for byte."""
    data = memoryview(build_batch(values, base_offset=50))
    header = read_header(data)
    slices = list(record_slices(header, data))
    assert encode_slices(slices, 50, header.base_timestamp) == data[HEADER_BYTES:]


def test_the_brokers_time_holds_for_all_records() -> None:
    """With LogAppendTime."""
    values = [Record(None, b"v", timestamp=NOW_MS + at) for at in range(3)]
    data = memoryview(build_batch(values, log_append_time=NOW_MS + 9))
    assert {each.timestamp for each in record_slices(read_header(data), data)} == {NOW_MS + 9}


@pytest.mark.parametrize("at", [0, 4, 6])
def test_records_that_do_not_fit_are_corrupt(at: int) -> None:
    """The record's length, the key's and the value's must agree."""
    data = batch(1, key=b"k")
    data[HEADER_BYTES + at] = 0x7E
    with pytest.raises(CorruptRecords):
        list(record_slices(read_header(data), data))
