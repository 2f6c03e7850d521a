"""Durations with a suitable unit."""

from __future__ import annotations

import pytest

from antechamber.sentences.durations import format_us, milliseconds


@pytest.mark.parametrize(
    ("us", "words"),
    [
        (0, "0 µs"),
        (999, "999 µs"),
        (1204, "1.2 ms"),
        (9_949, "9.9 ms"),
        (9_950, "10 ms"),
        (183_400, "183 ms"),
        (999_600, "1.0 s"),
        (61_000_000, "61.0 s"),
        (99_960_000, "1 m 40 s"),
        (7_200_000_000, "2 h 00 m"),
    ],
)
def test_a_duration_has_a_suitable_unit(us: int, words: str) -> None:
    """Two or three digits are printed, and no unit reaches the next one."""
    assert format_us(us) == words


@pytest.mark.parametrize(
    ("text", "expected"), [("500ms", 500), ("45s", 45_000), ("2m", 120_000), ("1h", 3_600_000)]
)
def test_an_argument_has_a_unit(text: str, expected: int) -> None:
    """The value is in milliseconds."""
    assert milliseconds(text) == expected
