"""Tests of the ring that shows a wheel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from antechamber.commands.ring import duration, ring, side_by_side

RING = """\
      ·  ·  ·
    ·         ·
  ·             ∘
·     level 2     ·
·      20 ms      3
·                 ·
  ·             ·
    ·         ·
      ·  ·  ·"""


def count(tasks: Mapping[str, int]) -> str:
    return str(sum(tasks.values()))


def level(wheel_size: int = 20, **tasks: int) -> dict[str, Any]:
    buckets = [{"index": int(name[1:]), "tasks": {"T": n}} for name, n in tasks.items()]
    return {"wheel_size": wheel_size, "tick_ms": 20, "current_index": 3, "buckets": buckets}


def test_a_wheel_is_drawn_clockwise_from_the_top() -> None:
    """The bucket of the current tick is a circle; a bucket in use has its symbol."""
    lines = ring(level(_5=3), 2, count)
    assert "\n".join(line.rstrip() for line in lines) == RING


@pytest.mark.parametrize("wheel_size", range(2, 61))
def test_each_bucket_has_a_place_of_its_own(wheel_size: int) -> None:
    """For any number of buckets, all of them are visible."""
    lines = ring(level(wheel_size), 1, count)
    drawn = "".join(lines)
    assert drawn.count("·") + drawn.count("∘") == wheel_size
    assert len({len(line) for line in lines}) == 1


def test_rings_are_put_into_rows_that_fit_the_width() -> None:
    """Three rings of 19 columns need 65; in 60 the third is below."""
    rings = [ring(level(), number, count) for number in (1, 2, 3)]
    assert len(side_by_side(rings, 65)) == 9
    below = side_by_side(rings, 60)
    assert len(below) == 19
    assert "level 1" in below[3]
    assert "level 2" in below[3]
    assert "level 3" in below[13]


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (1, "1 ms"),
        (400, "400 ms"),
        (8000, "8 s"),
        (60_000, "1 min"),
        (0, "0 ms"),
        (0.125, "0.125 ms"),
    ],
)
def test_a_tick_is_shown_in_its_largest_whole_unit(ms: float, text: str) -> None:
    """Milliseconds, seconds, minutes or hours."""
    assert duration(ms) == text
