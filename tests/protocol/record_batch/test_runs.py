"""Tests of runs of records of the same shape: `protocol.record_batch.runs`."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.record_batch.batch import build_batch, records
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.numbers import InvalidRecord
from protocol.record_batch.record import Record
from protocol.record_batch.runs import measure_run
from protocol.record_batch.scan import RecordsSummary, summarise

SHAPES = st.tuples(
    st.sampled_from([None, b"k" * 8]),
    st.sampled_from([None, b"", b"v" * 10, b"v" * 300]),
    st.sampled_from([(), (("trace", b"t" * 20),), (("a", None), ("b", b""))]),
)
# Nearly equal, near, and far apart: timestamp deltas of one, two and more bytes.
SPREADS = st.sampled_from([1, 30, 200, 9000, 3_000_000])


@st.composite
def nearly_uniform(draw: st.DrawFn) -> list[Record]:
    """Runs of equal records, with increasing or random timestamps, and a few other records."""
    batch: list[Record] = []
    clock = 0
    for _ in range(draw(st.integers(1, 3))):
        key, value, headers = draw(SHAPES)
        spread = draw(SPREADS)
        steps = draw(st.lists(st.integers(-spread, spread), min_size=1, max_size=70))
        grows = draw(st.booleans())
        for step in steps:
            clock += abs(step) if grows else 0
            time = clock if grows else clock + step
            batch.append(Record(key, value, headers, time))
        if draw(st.booleans()):
            batch.append(Record(b"other", b"w" * 11, (), clock))
    return batch


@given(nearly_uniform())
def test_runs_do_not_change_the_summary(batch: list[Record]) -> None:
    """The check by columns gives the same summary as the check record by record."""
    deltas = [record.timestamp - batch[0].timestamp for record in batch]
    expected = RecordsSummary(
        max(deltas), min(deltas), any(record.key is None for record in batch), True
    )
    block = build_batch(batch)[HEADER_BYTES:]
    assert summarise(block, len(batch)) == expected
    assert summarise(memoryview(block), len(batch)) == expected


@given(nearly_uniform(), st.data())
def test_a_changed_byte_in_a_run_is_detected(batch: list[Record], data: st.DataObject) -> None:
    """The block is invalid, or the summary is that of the changed records."""
    whole = bytearray(build_batch(batch))
    at = data.draw(st.integers(HEADER_BYTES, len(whole) - 1))
    whole[at] ^= data.draw(st.integers(1, 255))
    try:
        summary = summarise(bytes(whole[HEADER_BYTES:]), len(batch))
    except InvalidRecord:
        return
    read = list(records(whole))
    deltas = [record.timestamp - batch[0].timestamp for record in read]
    offsets = [record.offset for record in read]
    assert summary == RecordsSummary(
        max(deltas),
        min(deltas),
        any(record.key is None for record in read),
        offsets == list(range(len(batch))),
    )


@pytest.mark.parametrize("byte", [9, 10, 12])
def test_every_length_in_the_headers_is_checked(byte: int) -> None:
    """That of the first value, and those of the second key and value."""
    batch = [Record(None, None, headers=(("a", b""), ("b", b"")))] * 20
    block = bytearray(build_batch(batch)[HEADER_BYTES:])
    size = len(block) // len(batch)
    block[17 * size + byte] += 2

    with pytest.raises(InvalidRecord):
        summarise(bytes(block), len(batch))


@pytest.mark.parametrize("count", [64, 65, 128, 8192, 8193, 16385, 20000])
def test_runs_across_the_widths_of_offset_deltas(count: int) -> None:
    """One, two and three bytes: each width has its own run, of at most 8192 records."""
    block = build_batch([Record(None, b"", timestamp=1)] * count)[HEADER_BYTES:]
    assert summarise(block, count) == RecordsSummary(0, 0, True, True)


def test_a_wrong_offset_delta_ends_the_run() -> None:
    """For each of its bytes."""
    batch = [Record(None, b"", timestamp=1)] * 9000
    for at in (20, 100, 5000, 8500):
        other = Record(None, b"", timestamp=1, offset=at + 1)
        odd = [*batch[:at], other, *batch[at + 1 :]]
        block = build_batch(odd)[HEADER_BYTES:]
        assert not summarise(block, len(odd)).offsets_consecutive


# Of a record with a value of five bytes and no key: where its parts are.
SHAPE = (0, 1, 3, 4, 5, 11, 12)


def test_a_run_ends_with_its_last_record() -> None:
    """Records of another size after it do not belong to it."""
    alike = [Record(None, b"v" * 5, timestamp=3)] * 40
    block = build_batch([*alike, Record(None, b"w" * 6, timestamp=3)])[HEADER_BYTES:]
    assert measure_run(block, SHAPE, 1, 40) == (39, 0, 0)


def test_a_short_run_is_none() -> None:
    """The check one by one is faster for fewer than eight records."""
    block = build_batch([Record(None, b"v" * 5)] * 6)[HEADER_BYTES:]
    assert measure_run(block, SHAPE, 1, 5) is None
