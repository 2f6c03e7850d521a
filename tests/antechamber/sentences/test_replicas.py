"""The lag of replicas in words."""

from __future__ import annotations

from typing import Any

import pytest

from antechamber.sentences import replicas


def replica(**changed: Any) -> dict[str, Any]:
    """Node 3, which is behind."""
    known = {"node": 3, "log_end_offset": 41, "caught_up_ms_ago": 14_000, "state": "running"}
    return known | changed


@pytest.mark.parametrize(
    ("state", "name"),
    [
        ("running", "node 3"),
        ("paused", "node 3 (paused)"),
        ("stopped", "node 3 (stopped)"),
        (None, "node 3"),
    ],
)
def test_a_node_is_named_with_its_state(state: str | None, name: str) -> None:
    """A state is named if it explains the lag; older brokers report none."""
    assert replicas.name(replica(state=state)) == name


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, "4 records behind, last caught up 14.0 s ago"),
        ({"log_end_offset": 44}, "1 record behind, last caught up 14.0 s ago"),
        ({"caught_up_ms_ago": None}, "4 records behind"),
        ({"log_end_offset": None, "caught_up_ms_ago": None}, "is not running"),
        ({"log_end_offset": -1}, "has not fetched, last caught up 14.0 s ago"),
    ],
)
def test_the_lag_and_the_time_since_it_began(changed: dict[str, Any], words: str) -> None:
    """The missing records, and the time since none were missing."""
    assert replicas.lag(replica(**changed), 45) == words
