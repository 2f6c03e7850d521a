"""Requests of members of classic groups (classic tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld, classic_group


@pytest.fixture
def player() -> ScriptPlayer:
    return ScriptPlayer(VirtualWorld())


def test_a_repeated_sync_has_the_same_response(player: ScriptPlayer) -> None:
    """Mirrors testSyncGroupFollowerAfterLeader: the first response may be lost."""
    player.play(["enter a", "sync a a=p0"])

    assert player.play(["sync a", "sync a a=other"]) == ["0 a sync p0", "0 a sync p0"]


def test_a_sync_during_a_rebalance_is_refused(player: ScriptPlayer) -> None:
    """There will be a new assignment."""
    player.play(["enter a", "sync a", "enter b"])

    assert player.play(["sync a"]) == ["0 a sync REBALANCE_IN_PROGRESS"]


def test_only_the_leader_assigns(player: ScriptPlayer) -> None:
    """The assignment in a follower's request is ignored."""
    player.play(["enter a", "enter b", "join a"])
    player.play(["sync b a=stolen b=stolen"])

    assert player.play(["sync a a=p0 b=p1"]) == ["0 a sync p0", "0 b sync p1"]


def test_a_member_without_an_assignment_gets_an_empty_one(player: ScriptPlayer) -> None:
    """Mirrors testSyncGroupLeaderAfterFollower; the leader's request lacks one member."""
    player.play(["enter a", "enter b", "join a", "sync b"])

    assert player.play(["sync a a=p0"]) == ["0 a sync p0", "0 b sync nothing"]


def test_a_heartbeat_of_another_generation_is_refused(player: ScriptPlayer) -> None:
    """Mirrors testHeartbeatIllegalGeneration: an older or a newer one."""
    player.play(["enter a", "sync a"])

    assert (
        player.play(["heartbeat a generation=0", "heartbeat a generation=2"])
        == ["0 a heartbeat ILLEGAL_GENERATION"] * 2
    )


def test_a_heartbeat_in_completing_rebalance_succeeds(player: ScriptPlayer) -> None:
    """Mirrors testHeartbeatMaintainsSession: the member need not join again."""
    player.play(["enter a", "enter b", "join a"])

    assert player.play(["heartbeat b"]) == ["0 b heartbeat NONE"]


def test_a_commit_in_completing_rebalance_does_not_restart_the_session(
    player: ScriptPlayer,
) -> None:
    """As in Kafka; the commit is refused."""
    player.play(["enter a session=10000", "wait 6000", "commit a t-0=1 generation=1", "wait 5000"])

    assert player.play(["state"]) == ["11000 state Empty generation 2 members"]


def test_a_commit_restarts_the_session(player: ScriptPlayer) -> None:
    """In a stable group a consumer that only commits stays a member."""
    player.play(["enter a session=10000", "sync a", "wait 6000", "commit a t-0=1", "wait 6000"])

    assert player.play(["heartbeat a"]) == ["12000 a heartbeat NONE"]


def test_a_pending_member_can_leave(player: ScriptPlayer) -> None:
    """The rebalance does not wait for it any more."""
    player.play(["enter a", "sync a", "join b", "enter c"])
    assert player.play(["join a"]) == []

    responses = player.play(["leave b"])

    assert responses[0] == "0 b leave NONE"
    assert [response.split()[:3] for response in responses[1:]] == [
        ["0", "a", "join"],
        ["0", "c", "join"],
    ]


def test_an_instance_is_removed_without_its_member_id() -> None:
    """By administrators (KIP-345)."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["join a instance=i", "sync a"])

    assert player.play(["leave instance=i"]) == ["0 i leave NONE"]
    assert classic_group(world.coordinator, "g").static_members == {}


def test_members_that_leave_together_cause_one_rebalance(player: ScriptPlayer) -> None:
    """The next generation begins without them."""
    player.play(["enter a", "enter b", "enter c", "join a", "join b"])
    player.play(["sync a", "sync b", "sync c"])

    assert player.play(["leave b c", "join a"]) == [
        "0 b leave NONE",
        "0 c leave NONE",
        "0 a join generation 3 p as a-1 led by a-1 members a-1",
    ]
