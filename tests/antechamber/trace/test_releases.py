"""Which request completed the wait of which."""

from __future__ import annotations

from typing import Any

from antechamber.trace.releases import releases
from antechamber.trace.spans import spans
from tests.facts import completed_fetch

Record = dict[str, Any]

FETCH = completed_fetch()
COMPLETED_US = FETCH["arrived_us"] + 183_120


def produce(**fields: Any) -> Record:
    """The produce that completes the fetch of `completed_fetch`: in progress at that time."""
    values = {
        "api": "Produce",
        "client_id": "billing",
        "correlation_id": 17,
        "connection": 3,
        "arrived_us": COMPLETED_US - 200,
        "parked_us": 0,
        "total_us": 400,
        "local_us": 400,
        "send_us": 0,
        "purgatory": None,
        "waited_for": None,
        "completed_by": {"cause": "arrival"},
    }
    return FETCH | values | fields


def released_by(*records: Record) -> list[Record]:
    """The records of the requests that completed one of *records*."""
    return [dict(each.by.record) for each in releases(spans(records))]


def test_the_request_that_the_record_names() -> None:
    """API, client id and correlation id are those of `completed_by`."""
    other = produce(correlation_id=18)

    assert released_by(FETCH, produce(), other) == [produce()]


def test_a_request_that_is_not_recorded_is_left_out() -> None:
    """The records are only the latest ones."""
    assert released_by(FETCH) == []


def test_a_completion_without_a_request_is_left_out() -> None:
    """A timeout, for example."""
    assert released_by(FETCH | {"completed_by": {"cause": "timeout"}}, produce()) == []


def test_a_request_that_arrived_later_is_not_the_one() -> None:
    """Correlation ids of other connections can be the same."""
    assert released_by(FETCH, produce(arrived_us=COMPLETED_US + 1)) == []


def test_the_request_in_progress_is_preferred() -> None:
    """Another connection with the same client id had used the same correlation id before."""
    ended = produce(arrived_us=COMPLETED_US - 900)

    assert released_by(FETCH, ended, produce()) == [produce()]


def test_a_request_of_the_same_node_is_preferred() -> None:
    """Of two requests in progress."""
    elsewhere = produce(node=2, arrived_us=COMPLETED_US - 100)

    assert released_by(FETCH, elsewhere, produce()) == [produce()]


def test_a_request_with_the_same_partition_is_preferred() -> None:
    """Of two requests in progress at the node."""
    other = produce(partitions=[], arrived_us=COMPLETED_US - 100)

    assert released_by(FETCH, other, produce()) == [produce()]
