"""Records with many headers, whose runs of equal lengths are skipped at once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.record_batch.batch import build_batch, records
from protocol.record_batch.header import HEADER_BYTES
from protocol.record_batch.numbers import InvalidRecord, varint
from protocol.record_batch.record import Record
from protocol.record_batch.runs import measure_headers
from protocol.record_batch.scan import RecordsSummary, TooManyHeaders, summarise

HEADERS = st.tuples(st.text(max_size=3), st.none() | st.binary(max_size=70))
RUNS = st.lists(st.tuples(HEADERS, st.integers(1, 60)), max_size=5)


def record_with(runs: list[tuple[tuple[str, bytes | None], int]]) -> Record:
    """Each header is repeated as often as its number says."""
    return Record(None, b"v", headers=[header for header, number in runs for _ in range(number)])


@given(RUNS)
def test_runs_of_headers_are_valid(runs: list[tuple[tuple[str, bytes | None], int]]) -> None:
    """Of any lengths, in any order."""
    block = build_batch([record_with(runs)])[HEADER_BYTES:]
    assert summarise(block, 1) == RecordsSummary(0, 0, True, True)


@given(RUNS, st.data())
def test_a_changed_byte_in_a_run_is_noticed(
    runs: list[tuple[tuple[str, bytes | None], int]], data: st.DataObject
) -> None:
    """The check fails, or the headers can be decoded."""
    whole = bytearray(build_batch([record_with(runs)]))
    at = data.draw(st.integers(HEADER_BYTES, len(whole) - 1))
    whole[at] = data.draw(st.integers(0, 255))
    try:
        summarise(bytes(whole[HEADER_BYTES:]), 1)
    except InvalidRecord:
        return
    try:
        list(records(whole))
    except UnicodeDecodeError:
        return


@pytest.mark.parametrize("header", [b"\x00\x00", b"\x02k\x00", b"\x00\x01", b"\x04kk\x02v"])
def test_a_run_is_measured_as_a_whole(header: bytes) -> None:
    """Up to the limit, the end of the data, or a header of other lengths."""
    shape = (0, 1 + header[0] // 2, len(header))
    assert measure_headers(header * 1000, shape, 5000) == 999
    assert measure_headers(memoryview(header * 1000), shape, 500) == 500
    assert measure_headers(header * 50 + b"\x06kkk" + header * 50, shape, 99) == 49


def test_a_run_that_ends_in_a_header_without_a_key_is_invalid() -> None:
    """The header after the run is checked as any other."""
    headers = b"\x00\x00" * 40 + b"\x01\x00"
    body = b"\x00\x00\x00\x01\x01" + varint(41) + headers
    with pytest.raises(InvalidRecord, match="has no key"):
        summarise(varint(len(body)) + body, 1)


def test_all_headers_of_a_run_are_counted() -> None:
    """Their number is limited in a request that is not offloaded."""
    block = build_batch([record_with([(("k", b"v"), 100)])])[HEADER_BYTES:]
    assert summarise(block, 1, 100)
    with pytest.raises(TooManyHeaders):
        summarise(block, 1, 99)
