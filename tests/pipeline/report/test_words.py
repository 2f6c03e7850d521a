"""Words for numbers and causes."""

from __future__ import annotations

import pytest

from pipeline.report.words import cause, series, span


@pytest.mark.parametrize(
    ("us", "words"),
    [
        (0, "0 µs"),
        (412, "412 µs"),
        (3_140, "3.14 ms"),
        (512_000, "512 ms"),
        (2_400_000, "2.4 s"),
        (90_000_000, "90 s"),
        (186e6, "3.1 min"),
        (2 * 3.6e9, "2 h"),
    ],
)
def test_a_span_has_a_unit(us: float, words: str) -> None:
    """Of a size that needs few digits."""
    assert span(us) == words


def test_causes_have_names() -> None:
    """With the state of a replica, the group of a member, or what a rule does."""
    assert cause("replica", "3", "paused") == "replica 3 (paused)"
    assert cause("replica", "1, 3", None) == "replicas 1, 3"
    assert cause("member", None, "billing") == "group members (billing)"
    assert cause("client", None, None) == "client (no name)"
    assert cause("other", "share_state", None) == "share state"


def test_series_have_names() -> None:
    """The role is named, except that of other requests."""
    assert series("Fetch", "idle_poll") == "Fetch, idle long polls"
    assert series("Fetch", "follower") == "Fetch, followers"
    assert series("Produce", "request") == "Produce"
