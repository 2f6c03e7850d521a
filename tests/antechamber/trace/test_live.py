"""Sending the spans of a broker's requests as they end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

pytest.importorskip("opentelemetry.sdk", reason="the extra otlp is not installed")

from antechamber.trace.live import LiveSpans
from antechamber.trace.spans import Record
from antechamber.usage_error import CommandFailed
from tests.antechamber.trace.test_releases import FETCH, produce


class Collector:
    """Keeps what is sent: the records, and those that can be linked."""

    url = "http://collector"

    def __init__(self) -> None:
        self.sent: list[tuple[Sequence[Record], Sequence[Record]]] = []
        self.accepts = True

    def send(self, records: Sequence[Record], before: Sequence[Record]) -> int:
        self.sent.append((records, before))
        if not self.accepts:
            raise CommandFailed("refused")
        return len(records)


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Collector:
    """In the place of a connection."""
    made = Collector()
    monkeypatch.setattr("antechamber.trace.live.Collector", lambda _url: made)
    return made


def live() -> LiveSpans:
    """Connected to the collector of the test."""
    return LiveSpans("http://collector")


def test_a_released_request_is_held_until_its_releaser_comes(collector: Collector) -> None:
    """Both are sent together, and the releaser can be linked from then on."""
    spans = live()
    assert spans.send([FETCH])
    assert spans.holds
    assert spans.send([produce()])

    assert collector.sent == [([], [FETCH]), ([FETCH, produce()], [])]
    assert not spans.holds


def test_a_releaser_that_is_known_holds_nothing(collector: Collector) -> None:
    """It has come with the released request, or just before."""
    spans = live()
    spans.send([produce()])
    spans.send([FETCH])

    assert collector.sent == [([produce()], []), ([FETCH], [produce()])]


def test_a_request_is_held_for_one_call(collector: Collector) -> None:
    """Its releaser may never come."""
    spans = live()
    spans.send([FETCH])
    spans.send([])

    assert collector.sent[-1] == ([FETCH], [])


def test_the_last_requests_are_not_held(collector: Collector) -> None:
    """No others come after them."""
    spans = live()
    spans.send([FETCH], is_last=True)

    assert collector.sent == [([FETCH], [])]


def test_a_collector_that_refuses_is_reported(collector: Collector) -> None:
    """The spans of the call are lost."""
    spans = live()
    collector.accepts = False

    assert not spans.send([produce()])


def test_requests_are_linked_to_the_traces_of_their_records() -> None:
    """The link is that of the ``traceparent`` header, beside that of the releaser."""
    from antechamber.trace.otel_spans import otel_spans

    traced: dict[str, Any] = {**produce(), "traces": [f"00-{10:032x}-{11:016x}-01"]}
    [link] = otel_spans([traced])[0].links

    assert (link.context.trace_id, link.context.span_id) == (10, 11)
    assert link.context.is_remote
    assert link.context.trace_flags.sampled
    assert link.attributes == {"antechamber.relation": "record"}
