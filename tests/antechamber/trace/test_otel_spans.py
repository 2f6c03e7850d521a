"""Requests as spans of OpenTelemetry."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra otlp is not installed")

from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.trace import SpanKind, StatusCode

from antechamber.trace.otel_spans import otel_spans
from tests.antechamber.trace.test_releases import COMPLETED_US, FETCH, produce
from tests.facts import completed_fetch, parked_produce

Record = dict[str, Any]


def by_name(*records: Record) -> dict[str, ReadableSpan]:
    """The spans of one request by their names."""
    return {each.name: each for each in otel_spans(records)}


def test_a_request_is_a_server_span_with_its_phases() -> None:
    """The children are within the request, in its trace, and end where the next one begins."""
    found = by_name(FETCH)
    server = found["Fetch"]

    assert server.kind is SpanKind.SERVER
    assert server.parent is None
    assert server.start_time == FETCH["arrived_us"] * 1000
    assert server.end_time == (FETCH["arrived_us"] + FETCH["total_us"]) * 1000
    children = sorted((each for each in found.values() if each is not server), key=_start)
    assert [each.name for each in children] == ["local", "park", "send"]
    assert all(each.parent == server.context for each in children)
    assert {each.context.trace_id for each in children} == {server.context.trace_id}
    ends = [each.end_time for each in children]
    assert [each.start_time for each in children] == [server.start_time, *ends[:-1]]
    assert ends[-1] == server.end_time


def _start(span: ReadableSpan) -> int:
    assert span.start_time is not None
    return span.start_time


def test_a_wait_has_its_condition_and_its_completion() -> None:
    """The event at its end has the cause, and the number of checks."""
    park = by_name(FETCH)["park"]

    assert park.attributes is not None
    assert park.attributes["antechamber.purgatory"] == "Fetch"
    assert park.attributes["antechamber.waited_for"] == "min_bytes"
    [completed] = park.events
    assert completed.timestamp == park.end_time == COMPLETED_US * 1000
    assert completed.attributes is not None
    assert completed.attributes["antechamber.cause"] == "append"
    assert completed.attributes["antechamber.checks"] == FETCH["checks"]


def test_a_wait_has_an_event_for_each_check() -> None:
    """With what caused the check, and its time."""
    checks = [{"after_us": 250, "cause": "append", "topic": "orders", "partition": 0, "offset": 7}]
    park = by_name({**FETCH, "checked": checks})["park"]

    checked, completed = park.events
    assert (checked.name, completed.name) == ("checked", "completed")
    assert checked.timestamp == _start(park) + 250_000
    assert checked.attributes == {
        "antechamber.cause": "append",
        "messaging.destination.name": "orders",
        "antechamber.partition": 0,
        "antechamber.offset": 7,
    }


def test_a_wait_is_linked_to_the_request_that_completed_it() -> None:
    """Also if that request is not exported again."""
    releaser = otel_spans([produce()])[0]
    together = {each.name: each for each in otel_spans([FETCH, produce()])}
    later = {each.name: each for each in otel_spans([FETCH], [produce()])}

    for found in (together, later):
        for name in ("Fetch", "park"):
            [link] = found[name].links
            assert link.context == releaser.context
    assert "Produce" not in later


def test_an_error_is_the_status() -> None:
    """That of the response, or of a partition."""
    place = {**FETCH["partitions"][0], "error": 3}
    first = by_name({**FETCH, "partitions": [place]})["Fetch"]
    second = by_name({**FETCH, "error": 15})["Fetch"]

    assert (first.status.status_code, first.status.description) == (
        StatusCode.ERROR,
        "error code 3",
    )
    assert second.status.description == "error code 15"
    assert by_name(FETCH)["Fetch"].status.status_code is StatusCode.UNSET


def test_ids_are_those_of_the_request() -> None:
    """Each export has the same ids, and requests have different ones."""
    once, again = (otel_spans([completed_fetch()]) for _ in range(2))
    other = otel_spans([{**completed_fetch(), "correlation_id": 99}])

    assert [each.context for each in once] == [each.context for each in again]
    ids = {each.context.span_id for each in (*once, *other)}
    assert len(ids) == len(once) + len(other)


def test_a_request_that_waits_has_no_span_yet() -> None:
    """A span has an end."""
    assert otel_spans([parked_produce()]) == []
