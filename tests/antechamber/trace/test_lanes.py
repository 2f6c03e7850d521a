"""Intervals are distributed to as few lanes as possible."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antechamber.trace.lanes import lanes

Intervals = list[tuple[int, int]]


@pytest.mark.parametrize(
    ("intervals", "expected"),
    [
        ([], []),
        ([(0, 5), (5, 9), (9, 9), (9, 12)], [0, 0, 0, 0]),
        ([(0, 9), (1, 3), (2, 4), (3, 5)], [0, 1, 2, 1]),
        ([(0, 4), (1, 3), (5, 6)], [0, 1, 0]),
    ],
    ids=["none", "consecutive", "overlapping", "the lowest free lane"],
)
def test_the_lowest_free_lane_is_used(intervals: Intervals, expected: list[int]) -> None:
    """An interval may begin where another one of its lane ends."""
    assert lanes(intervals) == expected


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 20))))
def test_intervals_of_a_lane_do_not_overlap(drawn: Intervals) -> None:
    """The number of lanes is the largest number of intervals at one time."""
    intervals = sorted((begin, begin + length) for begin, length in drawn)
    found = lanes(intervals)

    for lane in set(found):
        own = [each for each, number in zip(intervals, found, strict=True) if number == lane]
        assert all(end <= begin for (_, end), (begin, _) in pairwise(own))
    at_once = max(
        (sum(begin <= time < end for begin, end in intervals) for time in range(71)), default=0
    )
    assert at_once <= len(set(found)) <= max(at_once, 1)
