"""The sync phase."""

from __future__ import annotations

from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld


def slow_sync() -> tuple[VirtualWorld, ScriptPlayer]:
    """Two members in a generation whose assignment is not replicated yet."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "enter b", "join a", "sync b", "slow"])
    assert player.play(["sync a a=p0 b=p1"]) == []
    return world, player


def test_sync_responses_wait_for_replication() -> None:
    """An assignment that could be lost is not sent."""
    _, player = slow_sync()

    assert player.play(["replicate", "state"]) == [
        "0 a sync p0",
        "0 b sync p1",
        "0 state Stable generation 2 members a-1 b-1",
    ]


def test_an_assignment_that_is_not_replicated_in_time_restarts_the_rebalance() -> None:
    """The waiting requests are refused, and all members have to join again."""
    _, player = slow_sync()

    assert player.play(["wait 5000", "replicate", "heartbeat a"]) == [
        "5000 a sync COORDINATOR_NOT_AVAILABLE",
        "5000 b sync COORDINATOR_NOT_AVAILABLE",
        "5000 a heartbeat REBALANCE_IN_PROGRESS",
    ]


def test_an_assignment_that_the_log_refuses_restarts_the_rebalance() -> None:
    """Immediately."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["enter a", "refuse NOT_ENOUGH_REPLICAS"])

    assert player.play(["sync a a=p0", "heartbeat a"]) == [
        "0 a sync COORDINATOR_NOT_AVAILABLE",
        "0 a heartbeat REBALANCE_IN_PROGRESS",
    ]


def test_an_assignment_replicated_too_late_is_dropped() -> None:
    """A generation that another rebalance has ended does not become stable."""
    _, player = slow_sync()

    assert player.play(["enter c", "replicate", "state"]) == [
        "0 a sync REBALANCE_IN_PROGRESS",
        "0 b sync REBALANCE_IN_PROGRESS",
        "0 state PreparingRebalance generation 2 members a-1 b-1 c-1",
    ]


def test_members_that_the_leader_left_out_get_an_empty_assignment() -> None:
    """Without an error."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["enter a", "enter b", "join a", "sync b"])

    assert player.play(["sync a a=p0"]) == ["0 a sync p0", "0 b sync nothing"]
