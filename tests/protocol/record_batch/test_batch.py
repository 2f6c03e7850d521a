"""Tests of building batches and reading their records: `protocol.record_batch.batch`."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from kafka.record import MemoryRecords
from kafka.record.default_records import DefaultRecordBatchBuilder

from protocol.compression import Codec
from protocol.corrupt_records import CorruptRecords
from protocol.record_batch.batch import batches, build_batch, records
from protocol.record_batch.header import (
    CONTROL_BIT,
    HEADER_BYTES,
    TRANSACTIONAL_BIT,
    BatchHeader,
    check_crc,
    read_header,
)
from protocol.record_batch.record import Record

CONTENT = st.none() | st.binary(max_size=50)
RECORDS = st.lists(
    st.builds(
        Record,
        key=CONTENT,
        value=CONTENT,
        headers=st.lists(st.tuples(st.text(max_size=8), CONTENT), max_size=3),
        timestamp=st.integers(0, 2**41),
        offset=st.just(-1),
    ),
    min_size=1,
    max_size=10,
)


@given(RECORDS, st.sampled_from(list(Codec)))
def test_records_are_decoded_as_they_were_encoded(values: list[Record], codec: Codec) -> None:
    """Their offsets start at the base offset."""
    built = build_batch(values, base_offset=40, codec=codec)
    assert list(records(built)) == [
        replace(record, offset=40 + index) for index, record in enumerate(values)
    ]
    assert check_crc(built, read_header(built))


@given(RECORDS)
def test_kafka_python_decodes_our_batches(values: list[Record]) -> None:
    """It decodes the same fields."""
    batch = MemoryRecords(build_batch(values, base_offset=7)).next_batch()
    assert batch is not None
    assert batch.validate_crc()
    found = [(r.offset, r.timestamp, r.key, r.value, list(r.headers)) for r in batch]
    expected = [
        (7 + index, r.timestamp, r.key, r.value, list(r.headers)) for index, r in enumerate(values)
    ]
    assert found == expected


def test_batches_of_kafka_python_are_decoded() -> None:
    """All fields of header and records."""
    builder = DefaultRecordBatchBuilder(
        magic=2,
        compression_type=0,
        is_transactional=True,
        producer_id=9,
        producer_epoch=3,
        base_sequence=12,
        batch_size=10_000,
    )
    builder.append(0, 1000, b"k", b"v", [("h", b"x")])
    builder.append(1, 1005, None, None, [])
    built = bytes(builder.build())
    header = read_header(built)
    assert header == BatchHeader(
        base_offset=0,
        batch_length=len(built) - 12,
        partition_leader_epoch=header.partition_leader_epoch,
        magic=2,
        crc=header.crc,
        attributes=TRANSACTIONAL_BIT,
        last_offset_delta=1,
        base_timestamp=1000,
        max_timestamp=1005,
        producer_id=9,
        producer_epoch=3,
        base_sequence=12,
        records_count=2,
    )
    assert header.is_transactional
    assert not header.is_control
    assert (header.last_offset, header.next_offset, header.last_sequence) == (1, 2, 13)
    assert [record.value for record in records(built)] == [b"v", None]


def test_with_log_append_time_all_records_have_the_brokers_time() -> None:
    """The timestamp deltas are ignored."""
    built = build_batch([Record(None, b"v", timestamp=5)], log_append_time=99)
    assert read_header(built).is_log_append_time
    assert [record.timestamp for record in records(built)] == [99]


def test_the_attributes_argument_is_added() -> None:
    """It has the control and transactional bits."""
    built = build_batch([Record(b"k", b"v")], attributes=CONTROL_BIT, codec=Codec.GZIP)
    header = read_header(built)
    assert header.is_control
    assert header.codec == Codec.GZIP


def test_consecutive_batches_are_yielded() -> None:
    """An incomplete one at the end is ignored."""
    first, second = build_batch([Record(None, b"1")]), build_batch([Record(None, b"2")] * 2)
    data = first + second + first[:-1]
    assert [position for position, _ in batches(data)] == [0, len(first)]
    assert [header.records_count for _, header in batches(data)] == [1, 2]


def test_a_size_below_that_of_a_header_is_corrupt() -> None:
    """Otherwise the iteration would not end."""
    data = bytearray(build_batch([Record(None, b"1")]))
    struct.pack_into(">i", data, 8, 10)
    with pytest.raises(CorruptRecords, match="shorter than its header"):
        list(batches(data))


@given(RECORDS, st.data())
def test_damaged_records_are_corrupt_or_decoded(values: list[Record], data: st.DataObject) -> None:
    """No other exception than CorruptRecords is raised."""
    damaged = bytearray(build_batch(values))
    at = data.draw(st.integers(HEADER_BYTES, len(damaged) - 1))
    damaged[at] = data.draw(st.integers(0, 255))
    try:
        found = list(records(damaged))
    except CorruptRecords:
        return
    assert len(found) == len(values)
