"""Marks of requests."""

from __future__ import annotations

from broker.admin.facts.marks import MARKS_MAX, Marks
from broker.api.request_counts import Counted, RequestCounts

FETCH = 1


def test_later_requests_are_counted_from_a_mark() -> None:
    """By client and API; without a mark all are counted."""
    counts = RequestCounts()
    marks = Marks(counts)
    counts.tally("a")[FETCH] += 2
    first = marks.add()
    counts.tally("a")[FETCH] += 3
    second = marks.add()
    counts.tally("b")[FETCH] += 1

    assert marks.since(first) == {Counted("a", FETCH): 3, Counted("b", FETCH): 1}
    assert marks.since(second) == {Counted("b", FETCH): 1}
    assert marks.since(None) == {Counted("a", FETCH): 5, Counted("b", FETCH): 1}


def test_the_oldest_marks_are_forgotten() -> None:
    """A mark that was never made is not known either."""
    marks = Marks(RequestCounts())
    first = marks.add()
    second = marks.add()
    for _ in range(MARKS_MAX - 1):
        marks.add()

    assert marks.since(first) is None
    assert marks.since(second) == {}
    assert marks.since("mark-0") is None
