"""Sessions."""

from __future__ import annotations

from tests.broker.groups.story import Story
from tests.broker.groups.virtual_world import VirtualWorld


def test_a_heartbeat_leaves_one_operation_behind() -> None:
    """However often a member is heard of, one session is watched, in purgatory and in timer."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["enter a", "sync a", *["heartbeat a"] * 50])

    assert world.heartbeats.num_delayed() == 1
    assert world.heartbeats.watched() == 1


def test_nothing_is_watched_for_members_that_left() -> None:
    """Neither of members nor of ids that were given out anything stays in the purgatories."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["enter a", "sync a", "join b", "leave a", "leave b"])

    assert (world.heartbeats.num_delayed(), world.heartbeats.watched()) == (0, 0)
    assert (world.rebalances.num_delayed(), world.rebalances.watched()) == (0, 0)


def test_nothing_is_watched_for_members_that_were_dropped() -> None:
    """Who misses a rebalance takes its session along."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["enter a rebalance=5000", "sync a", "enter b rebalance=5000 session=60000"])
    assert world.heartbeats.num_delayed() == 2

    story.play(["wait 5000"])

    assert world.heartbeats.num_delayed() == 1
    assert world.heartbeats.watched() == 1


def test_nothing_is_watched_for_a_former_self() -> None:
    """A static member that comes back has one session."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["join a instance=i", "sync a", "join b instance=i", "sync b"])

    assert world.heartbeats.num_delayed() == 1
    assert world.heartbeats.watched() == 1


def test_nothing_is_watched_when_the_coordinator_has_moved() -> None:
    """Unloading ends all sessions and all rebalances."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["enter a", "sync a", "enter b", "join c", "unload"])

    assert (world.heartbeats.num_delayed(), world.heartbeats.watched()) == (0, 0)
    assert (world.rebalances.num_delayed(), world.rebalances.watched()) == (0, 0)


def test_nothing_is_watched_for_those_who_fell_silent() -> None:
    """Neither for members nor for ids that were given out."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["enter a", "sync a", "join b", "wait 10000"])

    assert world.coordinator.groups["g"].state == "Empty"
    assert (world.heartbeats.num_delayed(), world.heartbeats.watched()) == (0, 0)
