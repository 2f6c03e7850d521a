"""The intervals of a request, its phases and its waits."""

from __future__ import annotations

from antechamber.trace.spans import Phase, span, spans
from tests.facts import completed_fetch, parked_produce

BEGIN_US = completed_fetch()["arrived_us"]


def test_the_phases_are_consecutive() -> None:
    """They begin with the arrival and end with the request; a phase of 0 µs is left out."""
    found = span(completed_fetch() | {"queued_us": 50, "send_us": 0, "total_us": 183_170})

    assert found.phases == [
        Phase("queued", BEGIN_US, BEGIN_US + 50),
        Phase("handled", BEGIN_US + 50, BEGIN_US + 170),
        Phase("parked", BEGIN_US + 170, BEGIN_US + 183_170),
    ]
    assert (found.begin_us, found.end_us) == (BEGIN_US, BEGIN_US + 183_170)


def test_a_request_that_did_not_wait_has_no_wait() -> None:
    """It has its other phases only."""
    at_once = {"parked_us": 0, "total_us": 150, "purgatory": None, "waited_for": None}
    found = span(completed_fetch() | at_once)

    assert [each.name for each in found.phases] == ["handled", "sent"]
    assert found.waits == []


def test_several_waits_follow_each_other() -> None:
    """The time of the last wait is what the earlier waits leave of the parked time."""
    earlier = completed_fetch() | {"purgatory": "Verification", "parked_us": 3_000}
    found = span(completed_fetch() | {"earlier_waits": [earlier]})

    parked_us = BEGIN_US + 120
    assert [(each.purgatory, each.begin_us, each.end_us) for each in found.waits] == [
        ("Verification", parked_us, parked_us + 3_000),
        ("Fetch", parked_us + 3_000, parked_us + 183_000),
    ]


def test_a_request_that_waits_ends_now() -> None:
    """Its phase and its wait are as long as it has waited so far."""
    found = span(parked_produce())

    [wait] = found.waits
    assert not found.has_ended
    assert found.end_us - found.begin_us == parked_produce()["parked_us"]
    assert (wait.purgatory, wait.begin_us, wait.end_us) == (
        "Produce",
        found.begin_us,
        found.end_us,
    )


def test_a_request_in_slices_is_in_no_purgatory() -> None:
    """It is in progress, and waits for the event loop."""
    assert span(parked_produce() | {"purgatory": None}).waits == []


def test_spans_are_in_the_order_of_arrivals() -> None:
    """The admin interface returns the latest record first."""
    later = completed_fetch() | {"arrived_us": BEGIN_US + 1}

    assert [each.begin_us for each in spans([later, completed_fetch()])] == [BEGIN_US, BEGIN_US + 1]


def test_the_client_of_a_span() -> None:
    """A client id is optional in Kafka."""
    assert span(completed_fetch()).client == "reader"
    assert span(completed_fetch(client_id=None)).client == "a client without an id"
