"""Sync phase."""

from __future__ import annotations

from protocol.errors import ErrorCode
from tests.broker.groups.slow_store import SlowStore
from tests.broker.groups.story import Story
from tests.broker.groups.virtual_world import VirtualWorld


def slow_sync() -> tuple[SlowStore, Story]:
    """Two members in a generation whose assignment is being stored."""
    store = SlowStore()
    story = Story(VirtualWorld(store=store))
    story.play(["enter a", "enter b", "join a", "sync b"])
    store.slow = True
    assert story.play(["sync a a=p0 b=p1"]) == []
    return store, story


def test_nobody_is_told_before_it_is_stored() -> None:
    """An assignment that could be lost is none."""
    store, story = slow_sync()
    store.finish()

    assert story.play(["state"]) == [
        "0 a sync p0",
        "0 b sync p1",
        "0 state Stable generation 2 members a-1 b-1",
    ]


def test_an_assignment_that_cannot_be_stored_restarts_the_rebalance() -> None:
    """All who wait are told to look for the coordinator, and have to join again."""
    store, story = slow_sync()
    store.finish(ErrorCode.NOT_ENOUGH_REPLICAS)

    assert story.play(["heartbeat a"]) == [
        "0 a sync COORDINATOR_NOT_AVAILABLE",
        "0 b sync COORDINATOR_NOT_AVAILABLE",
        "0 a heartbeat REBALANCE_IN_PROGRESS",
    ]


def test_an_assignment_stored_too_late_is_dropped() -> None:
    """A generation that was disturbed meanwhile does not become stable."""
    store, story = slow_sync()
    story.play(["enter c"])
    store.finish()

    assert story.play(["state"]) == ["0 state PreparingRebalance generation 2 members a-1 b-1 c-1"]


def test_members_the_leader_forgot_get_nothing() -> None:
    """They are told an empty assignment, without error."""
    story = Story(VirtualWorld())
    story.play(["enter a", "enter b", "join a", "sync b"])

    assert story.play(["sync a a=p0"]) == ["0 a sync p0", "0 b sync nothing"]
