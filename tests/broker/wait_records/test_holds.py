"""Which nodes were paused or stopped while a request waited."""

from __future__ import annotations

from broker.wait_records.holds import Holds


def test_a_hold_counts_for_the_waits_that_it_overlaps() -> None:
    """Also if the node runs again; not if it ended before the wait began."""
    now_ms = 100.0
    holds = Holds(lambda: now_ms)
    holds.begin(3, "paused")
    during = holds.state_since(3, 100.0)
    now_ms = 200.0
    holds.end(3)

    assert during == "paused"
    assert holds.state_since(3, 150.0) == "paused"
    assert holds.state_since(3, 201.0) == "running"
    assert holds.state_since(2, 150.0) == "running"


def test_the_last_hold_counts() -> None:
    """A node that is stopped while it is paused is stopped."""
    holds = Holds(lambda: 100.0)
    holds.begin(3, "paused")
    holds.begin(3, "stopped")

    assert holds.state_since(3, 100.0) == "stopped"
