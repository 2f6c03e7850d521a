"""Sessions of classic members."""

from __future__ import annotations

from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld


def test_a_member_has_one_operation_after_any_number_of_heartbeats() -> None:
    """In the purgatory and in the timer."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", *["heartbeat a"] * 50])

    assert world.heartbeats.num_delayed() == 1
    assert world.heartbeats.watched() == 1


def test_a_heartbeat_restarts_the_operation_of_the_session() -> None:
    """It is not replaced by another one."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a session=8000", "sync a"])
    ((_, before),) = world.heartbeats.waiting()
    expired_ms = before.expiration_ms

    player.play(["wait 1000", "heartbeat a"])

    assert [each for _, each in world.heartbeats.waiting()] == [before]
    assert before.expiration_ms == expired_ms + 1000


def test_members_that_left_have_no_operations() -> None:
    """Neither have pending member ids."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "join b", "leave a", "leave b"])

    assert (world.heartbeats.num_delayed(), world.heartbeats.watched()) == (0, 0)
    assert (world.rebalances.num_delayed(), world.rebalances.watched()) == (0, 0)


def test_members_that_missed_a_rebalance_have_no_operations() -> None:
    """Their sessions end when they are removed."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a rebalance=5000", "sync a", "enter b rebalance=5000 session=60000"])
    assert world.heartbeats.num_delayed() == 2

    player.play(["wait 5000"])

    assert world.heartbeats.num_delayed() == 1
    assert world.heartbeats.watched() == 1


def test_a_replaced_static_member_has_no_operations() -> None:
    """Only the new member id has a session."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["join a instance=i", "sync a", "join b instance=i", "sync b"])

    assert world.heartbeats.num_delayed() == 1
    assert world.heartbeats.watched() == 1


def test_an_unloaded_group_has_no_operations() -> None:
    """Neither sessions nor joins."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "enter b", "join c", "unload"])

    assert (world.heartbeats.num_delayed(), world.heartbeats.watched()) == (0, 0)
    assert (world.rebalances.num_delayed(), world.rebalances.watched()) == (0, 0)


def test_expired_members_have_no_operations() -> None:
    """Neither have expired pending member ids."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "join b", "wait 10000"])

    assert world.coordinator.groups["g"].state_name == "Empty"
    assert (world.heartbeats.num_delayed(), world.heartbeats.watched()) == (0, 0)


def test_sessions_and_pending_member_ids_are_listed() -> None:
    """With their duration and the time at which they end."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a session=8000", "sync a", "wait 1000", "join b"])

    listed = {kind: times for _, _, kind, *times in world.coordinator.member_timeouts()}
    start_ms = int(world.clock.time_ms) - 1000

    assert listed == {
        "session": [8000, start_ms + 8000],
        "pending": [10_000, start_ms + 11_000],
    }


def test_the_session_of_a_member_whose_sync_waits_is_not_listed() -> None:
    """Its expiry has no effect."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "enter b", "join a"])
    before = {timeout.member_id[0] for timeout in world.coordinator.member_timeouts()}

    player.play(["sync b"])
    after = {timeout.member_id[0] for timeout in world.coordinator.member_timeouts()}

    assert (before, after) == ({"a", "b"}, {"a"})
