"""Narrowing conversions, with the results of a JVM."""

from __future__ import annotations

from math import inf, nan

import pytest

from broker.common.java_numbers import double_to_int, long_to_int, round_to_long


@pytest.mark.parametrize(
    ("value", "rounded"),
    [
        (0.49, 0),
        (0.5, 1),
        (-0.5, 0),
        (-1.5, -1),
        (6e9, 6_000_000_000),
        (1e300, 2**63 - 1),
        (inf, 2**63 - 1),
        (-inf, -(2**63)),
        (nan, 0),
    ],
)
def test_a_double_is_rounded(value: float, rounded: int) -> None:
    """Halves are rounded up; the result is clamped to int64."""
    assert round_to_long(value) == rounded


@pytest.mark.parametrize(
    ("value", "number"),
    [(1.9, 1), (-1.9, -1), (1e-300, 0), (1e10, 2**31 - 1), (-inf, -(2**31)), (nan, 0)],
)
def test_a_double_is_cast_to_an_int(value: float, number: int) -> None:
    """It is rounded towards zero; the result is clamped to int32."""
    assert double_to_int(value) == number


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (5, 5),
        (-5, -5),
        (2**31, -(2**31)),
        (6_000_100_000, 1_705_132_704),
        (2**63 - 1, -1),
        (-(2**63), 0),
    ],
)
def test_a_long_is_cast_to_an_int(value: int, number: int) -> None:
    """The highest of its low 32 bits is the sign."""
    assert long_to_int(value) == number
