"""How long something took, as people would say it."""

from __future__ import annotations

import pytest

from antechamber.durations import told


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
def test_a_duration_is_said_as_people_do(us: int, words: str) -> None:
    """With two digits that matter, or so, and no unit that is full."""
    assert told(us) == words
