"""The traces that the records of a request belong to."""

from __future__ import annotations

import pytest

from broker.wait_records.limits import TRACED_BYTES, TRACES_MAX
from broker.wait_records.trace_parents import TraceParents
from protocol.output import SendFile, SpliceLost
from protocol.record_batch.batch import build_batch
from protocol.record_batch.record import Record


def trace_parent(number: int) -> str:
    """A valid header."""
    return f"00-{number:032x}-{number:016x}-01"


def traced(*headers: str, value: bytes = b"v") -> bytes:
    """A batch with a record for each header."""
    return build_batch(
        [Record(None, value, [("traceparent", each.encode())], 0) for each in headers]
    )


def found(*batches: bytes) -> list[str]:
    """What is found in partitions with these *batches*."""
    parents = TraceParents()
    for each in batches:
        parents.read(each)
    return parents.found


def test_each_trace_parent_is_found_once() -> None:
    """In the order of the records, over all partitions."""
    one, two = trace_parent(1), trace_parent(2)

    assert found(traced(one, two, one), traced(two)) == [one, two]


@pytest.mark.parametrize(
    "header",
    [
        "",
        "00-1-2-01",
        trace_parent(0),
        "ff" + trace_parent(1)[2:],
        trace_parent(1).replace("0-", "G-", 1),
        trace_parent(10).upper(),
    ],
)
def test_an_invalid_trace_parent_is_not_found(header: str) -> None:
    """As in W3C Trace Context: zeros, version ff and upper case are invalid."""
    assert found(traced(header)) == []


def test_fields_of_a_later_version_are_left_out() -> None:
    """The first four fields keep their meaning."""
    assert found(traced(trace_parent(1) + "-later")) == [trace_parent(1)]


def test_the_number_of_traces_is_limited() -> None:
    """The first ones are kept."""
    headers = [trace_parent(number) for number in range(1, TRACES_MAX + 2)]

    assert found(traced(*headers)) == headers[:TRACES_MAX]


def test_the_bytes_that_are_read_are_limited() -> None:
    """A batch that is not whole in the first bytes is not read."""
    large = traced(trace_parent(1), value=bytes(TRACED_BYTES))

    assert found(traced(trace_parent(2)), large, traced(trace_parent(3))) == [trace_parent(2)]


class Lost:
    """Batches in a file that is gone."""

    def __len__(self) -> int:
        return 100

    def read(self, _start: int, _size: int) -> bytes:
        raise SpliceLost

    def send(self, _send_file: SendFile, _start: int, _size: int) -> None:
        """They are in no file."""


def test_a_lost_file_has_no_traces() -> None:
    """Sending it fails as well."""
    parents = TraceParents()
    parents.read(Lost())

    assert parents.found == []
