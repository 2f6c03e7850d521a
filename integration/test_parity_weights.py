"""Weights of the random programs."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from integration.parity.weighted import weighted


def test_a_repeated_strategy_is_drawn_more_often() -> None:
    """Three times as often as another one, approximately."""
    drawn: list[int] = []
    usual, odd = st.integers(0, 10**6), st.integers(-(10**6), -1)

    @settings(max_examples=400, derandomize=True, database=None)
    @given(weighted((usual, usual, usual, odd)))
    def draw(number: int) -> None:
        drawn.append(number)

    draw()

    share = sum(number < 0 for number in drawn) / len(drawn)
    assert 0.15 < share < 0.35
