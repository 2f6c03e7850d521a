"""The lists of explained requests in a report."""

from __future__ import annotations

from typing import Any

from antechamber.report.waits import wait_lines
from tests.facts import completed_fetch, parked_fetch, parked_produce

Record = dict[str, Any]


def titles(*records: Record) -> list[str]:
    """The titles of the lists."""
    return [line for line in wait_lines(records) if not line.startswith(" ")]


def begins(*records: Record) -> list[str]:
    """The first words of each explained request."""
    items = (line for line in wait_lines(records) if line.startswith("  - "))
    return [" ".join(line.split()[1:3]) for line in items]


def failed(**fields: Any) -> Record:
    """A fetch that was refused."""
    at_once = {"parked_us": 0, "purgatory": None, "waited_for": None, "error": 6}
    return completed_fetch() | at_once | {"completed_by": {"cause": "error"}} | fields


def test_no_requests() -> None:
    """There are no lines."""
    assert list(wait_lines([])) == []


def test_each_kind_of_request_is_a_list() -> None:
    """Those that wait are first, because one of them often is the reason of the failure."""
    assert titles(completed_fetch(), failed(), parked_produce()) == [
        "Requests that wait now, the longest wait first:",
        "Responses with an error, the latest first:",
        "The longest waits:",
    ]


def test_a_request_is_explained_once() -> None:
    """A wait that ended with an error is in the list of errors."""
    found = list(wait_lines([completed_fetch() | {"error": 6}]))

    assert found[0] == "Responses with an error, the latest first:"
    assert found[1].startswith("  - Fetch 12 of client reader requested")
    assert "The longest waits:" not in found


def test_requests_are_in_the_order_of_their_list() -> None:
    """The longest wait first, the latest error first."""
    arrived_us = completed_fetch()["arrived_us"]
    records = [
        parked_fetch(),
        parked_produce(),
        failed(correlation_id=1),
        failed(correlation_id=2, arrived_us=arrived_us + 1),
        completed_fetch(correlation_id=3),
        completed_fetch(correlation_id=4) | {"parked_us": 190_000},
    ]

    assert begins(*records) == ["Produce 12", "Fetch 3", "Fetch 2", "Fetch 1", "Fetch 4", "Fetch 3"]


def test_a_list_has_at_most_five_requests() -> None:
    """The others are counted."""
    found = list(wait_lines([completed_fetch(correlation_id=each) for each in range(7)]))

    assert len([line for line in found if line.startswith("  - ")]) == 5
    assert found[-1] == "  and 2 more"


def test_lines_fit_a_terminal() -> None:
    """An explanation is indented below its first line."""
    found = list(wait_lines([parked_produce(), completed_fetch()]))

    assert max(map(len, found)) <= 98
    assert found[2].startswith("    ")


def test_requests_without_a_wait_are_not_listed() -> None:
    """Unless their response has an error."""
    assert list(wait_lines([failed(error=0, completed_by={"cause": "arrival"})])) == []
