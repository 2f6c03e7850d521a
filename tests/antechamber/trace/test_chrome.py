"""Traces in the Trace Event Format."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from antechamber.trace.chrome import trace
from tests.antechamber.trace.trace_format import check_trace, phase
from tests.facts import completed_fetch, parked_produce

Record = dict[str, Any]

FETCH = completed_fetch()
COMPLETED_US = FETCH["arrived_us"] + 183_120
PRODUCE = FETCH | {
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


def events(*records: Record) -> list[Record]:
    """The events of a valid trace of *records*."""
    return check_trace(trace(records, "a test"))


def test_a_trace_without_requests_is_valid() -> None:
    """It has the source and no event."""
    document = trace([], "a test")

    assert check_trace(document) == []
    assert document["otherData"] == {"source": "a test", "requests": 0}


def test_requests_before_a_proxy_knows_the_nodes_are_in_a_process_of_their_own() -> None:
    """It is named bootstrap, and comes first."""
    made = events(FETCH, PRODUCE | {"node": None})
    named = [event["args"]["name"] for event in made if event["name"] == "process_name"]

    assert named == ["bootstrap", "node 1"]


def test_nodes_connections_and_purgatories_have_names() -> None:
    """A node is a process, a connection or a purgatory a thread."""
    named = {
        (event["name"], event["args"]["name"])
        for event in events(FETCH, PRODUCE)
        if "name" in event.get("args", {})
    }

    assert named == {
        ("process_name", "node 1"),
        ("thread_name", "connection 3: billing"),
        ("thread_name", "connection 8: reader"),
        ("thread_name", "Fetch purgatory"),
    }


def test_a_request_is_a_slice_with_its_phases() -> None:
    """The phases are on the thread of its connection, within the request."""
    request, *phases = [
        event for event in phase(events(FETCH), "X") if event["cat"] in ("request", "phase")
    ]

    assert (request["name"], request["ts"], request["dur"]) == (
        "Fetch 12",
        FETCH["arrived_us"],
        FETCH["total_us"],
    )
    assert [(each["name"], each["dur"]) for each in phases] == [
        ("handled", 120),
        ("parked", 183_000),
        ("sent", 30),
    ]
    assert {each["tid"] for each in phases} == {request["tid"]}


def test_a_wait_is_a_slice_of_its_purgatory() -> None:
    """Its arguments are the condition, the timeout and the completion."""
    [wait] = [event for event in events(FETCH) if event.get("cat") == "wait"]

    assert (wait["name"], wait["ts"], wait["dur"]) == (
        "Fetch 12 of reader",
        FETCH["arrived_us"] + 120,
        183_000,
    )
    assert wait["args"]["waited_for"] == FETCH["waited_for"]
    assert wait["args"]["completed_by"] == FETCH["completed_by"]


def test_a_request_has_its_explanation() -> None:
    """Also its client, its partitions, and the fault rule that affected it."""
    fault = {"rule": 3, "name": "lost-acks", "action": "close"}
    [request] = [
        event for event in events(FETCH | {"fault": fault}) if event.get("cat") == "request"
    ]

    assert request["args"]["explanation"].startswith("Fetch 12 of client reader requested")
    assert request["args"]["client_id"] == "reader"
    assert request["args"]["partitions"] == "orders-0"
    assert request["args"]["fault"] == fault


def test_a_request_that_waits_is_in_the_trace() -> None:
    """Its slice ends now, and its name says that it waits."""
    [request] = [event for event in events(parked_produce()) if event.get("cat") == "request"]

    assert request["name"] == "Produce 12 (waits)"
    assert request["dur"] == parked_produce()["parked_us"]


def test_an_arrow_leads_from_the_request_that_completed_the_wait() -> None:
    """By the purgatory to the request that had waited, at the end of the wait."""
    found = events(FETCH, PRODUCE)
    threads = {
        event["tid"]: event["args"]["name"] for event in found if event["name"] == "thread_name"
    }
    flow = phase(found, "s", "t", "f")

    assert [(event["ph"], threads[event["tid"]]) for event in flow] == [
        ("s", "connection 3: billing"),
        ("t", "Fetch purgatory"),
        ("f", "connection 8: reader"),
    ]
    assert {event["ts"] for event in flow} == {COMPLETED_US - 1}


def test_requests_of_a_client_that_does_not_wait_for_responses() -> None:
    """Requests that overlap on their connection are on threads of the same name."""
    second = FETCH | {"correlation_id": 13, "arrived_us": FETCH["arrived_us"] + 10}
    found = [event for event in events(FETCH, second) if event.get("cat") == "request"]

    assert len({event["tid"] for event in found}) == 2


def test_requests_while_the_clock_is_frozen() -> None:
    """All durations are 0."""
    no_time = dict.fromkeys(("local_us", "parked_us", "send_us", "total_us"), 0)
    now_us = {"arrived_us": COMPLETED_US}
    found = events(FETCH | no_time | now_us, PRODUCE | no_time | now_us)

    assert {event["dur"] for event in phase(found, "X")} == {0}
    assert len(phase(found, "s")) == 1


_TIMES = st.integers(0, 30)


@st.composite
def drawn_records(draw: st.DrawFn) -> list[Record]:
    """Records of few clients and short times, of which many overlap and complete each other."""
    records = []
    for number in range(draw(st.integers(0, 8))):
        times = {name: draw(_TIMES) for name in ("queued_us", "local_us", "parked_us", "send_us")}
        by = {"api": "Fetch", "client_id": "c", "correlation_id": draw(st.integers(0, 8))}
        place = {"node": draw(st.integers(1, 2)), "connection": draw(st.integers(1, 3))}
        records.append(
            FETCH
            | times
            | place
            | {"client_id": "c", "correlation_id": number, "total_us": sum(times.values())}
            | {"arrived_us": 1_000 + draw(_TIMES) * 3}
            | {"completed_by": FETCH["completed_by"] | {"request": by}}
        )
    return records


@given(drawn_records())
def test_every_trace_is_valid(records: list[Record]) -> None:
    """Slices nest, and flows go forwards within slices, whatever overlaps."""
    assert len(phase(events(*records), "X")) >= len(records)
