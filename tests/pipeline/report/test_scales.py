"""Axes and their labels."""

from __future__ import annotations

import pytest

from pipeline.report.scales import LogScale, linear_ticks


def test_powers_of_ten_are_labelled() -> None:
    """At equal distances."""
    scale = LogScale(10.0, 10_000.0)

    assert [label for _, label in scale.ticks()] == ["10 µs", "100 µs", "1 ms", "10 ms"]
    assert [at for at, _ in scale.ticks()] == pytest.approx([0, 1 / 3, 2 / 3, 1])


def test_values_outside_are_at_the_ends() -> None:
    """Also zero, which has no logarithm."""
    scale = LogScale(10.0, 10_000.0)

    assert (scale.at(0), scale.at(10**9)) == (0, 1)


@pytest.mark.parametrize("last", [0.003, 1, 7.9, 10, 55, 1_234])
def test_linear_axes_have_few_round_labels(last: float) -> None:
    """From zero, none beyond the end."""
    ticks = linear_ticks(last)

    assert ticks[0] == (0, "0")
    assert 3 <= len(ticks) <= 6
    assert all(0 <= at <= 1 for at, _ in ticks)
