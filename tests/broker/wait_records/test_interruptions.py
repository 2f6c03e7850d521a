"""The states of nodes during a wait."""

from __future__ import annotations

from broker.wait_records.interruptions import Interruptions


def test_an_interruption_counts_for_the_waits_that_it_overlaps() -> None:
    """Also after its end, but not if it ended before the wait began."""
    now_ms = 100.0
    interruptions = Interruptions(lambda: now_ms)
    interruptions.begin(3, "paused")
    during = interruptions.state_since(3, 100.0)
    now_ms = 200.0
    interruptions.end(3)

    assert during == "paused"
    assert interruptions.state_since(3, 150.0) == "paused"
    assert interruptions.state_since(3, 201.0) == "running"
    assert interruptions.state_since(2, 150.0) == "running"


def test_the_last_interruption_counts() -> None:
    """A node that stops while it is paused is ``stopped``."""
    interruptions = Interruptions(lambda: 100.0)
    interruptions.begin(3, "paused")
    interruptions.begin(3, "stopped")

    assert interruptions.state_since(3, 100.0) == "stopped"
