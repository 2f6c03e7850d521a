"""Limits of a comparison."""

from __future__ import annotations

import pytest

from pipeline.limits import exceeded, limit
from tests.pipeline.found import api, findings

BEFORE = findings("a", api("Fetch", [100] * 200), api("Produce", [100] * 200))
AFTER = findings("b", api("Fetch", [120] * 200), api("Produce", [90] * 200))


@pytest.mark.parametrize(
    ("text", "is_exceeded"),
    [
        ("p99=19%", True),
        ("p99=20%", False),
        ("max=0.019ms", True),
        ("max=0.02ms", False),
        ("mean=0%", True),
        ("Fetch:p50=0%", True),
        ("Produce:p50=0%", False),
        ("p99.9=100%", False),
    ],
)
def test_a_limit_is_a_share_or_a_time(text: str, is_exceeded: bool) -> None:
    """It is about all APIs, or about one."""
    assert bool([*exceeded(BEFORE, AFTER, [limit(text)], 100)]) is is_exceeded


def test_the_line_of_an_exceeded_limit() -> None:
    """It has both values and what is allowed."""
    assert [*exceeded(BEFORE, AFTER, [limit("p99=10%")], 100)] == [
        "Fetch p99: 0.120 ms, before 0.100 ms; at most 0.110 ms is allowed"
    ]


def test_few_requests_are_not_compared() -> None:
    """An API is compared if both sets have enough of its requests."""
    assert [*exceeded(BEFORE, AFTER, [limit("p99=1%")], 201)] == []
    assert [*exceeded(BEFORE, findings("b"), [limit("p99=1%")], 1)] == []


@pytest.mark.parametrize("text", ["p99", "p99=5", "p98=5%", "a b:p99=5%", "p99=-5%"])
def test_an_invalid_limit(text: str) -> None:
    """The error has the form of a limit."""
    with pytest.raises(ValueError, match=r"is not \[API:\]METRIC=NUMBER%"):
        limit(text)
