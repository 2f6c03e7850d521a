"""What members of classic groups ask (classic tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from tests.broker.groups.story import Story
from tests.broker.groups.virtual_world import VirtualWorld, classic_group


@pytest.fixture
def story() -> Story:
    return Story(VirtualWorld())


def test_a_member_that_syncs_again_is_told_the_same(story: Story) -> None:
    """Mirrors testSyncGroupFollowerAfterLeader: a lost answer costs nothing."""
    story.play(["enter a", "sync a a=p0"])

    assert story.play(["sync a", "sync a a=other"]) == ["0 a sync p0", "0 a sync p0"]


def test_a_sync_while_the_group_rebalances(story: Story) -> None:
    """The next generation is on its way, so there is nothing to fetch any more."""
    story.play(["enter a", "sync a", "enter b"])

    assert story.play(["sync a"]) == ["0 a sync REBALANCE_IN_PROGRESS"]


def test_only_the_leader_brings_assignments(story: Story) -> None:
    """What a follower brings is not looked at."""
    story.play(["enter a", "enter b", "join a"])
    story.play(["sync b a=stolen b=stolen"])

    assert story.play(["sync a a=p0 b=p1"]) == ["0 a sync p0", "0 b sync p1"]


def test_who_was_forgotten_by_the_leader_has_nothing(story: Story) -> None:
    """Mirrors testSyncGroupLeaderAfterFollower; the leader has left one out."""
    story.play(["enter a", "enter b", "join a", "sync b"])

    assert story.play(["sync a a=p0"]) == ["0 a sync p0", "0 b sync nothing"]


def test_a_heartbeat_of_another_generation(story: Story) -> None:
    """Mirrors testHeartbeatIllegalGeneration: older or newer is both wrong."""
    story.play(["enter a", "sync a"])

    assert (
        story.play(["heartbeat a generation=0", "heartbeat a generation=2"])
        == ["0 a heartbeat ILLEGAL_GENERATION"] * 2
    )


def test_a_heartbeat_while_the_leader_is_waited_for(story: Story) -> None:
    """Mirrors testHeartbeatMaintainsSession: the member has joined, there is nothing to do."""
    story.play(["enter a", "enter b", "join a"])

    assert story.play(["heartbeat b"]) == ["0 b heartbeat NONE"]


def test_a_commit_does_not_prolong_a_session_while_assignments_are_awaited(story: Story) -> None:
    """Who commits then has not understood that a new generation has begun."""
    story.play(["enter a session=10000", "wait 6000", "commit a t-0=1 generation=1", "wait 5000"])

    assert story.play(["state"]) == ["11000 state Empty generation 2 members"]


def test_a_commit_is_a_sign_of_life(story: Story) -> None:
    """While the group is stable a consumer that only commits stays in it."""
    story.play(["enter a session=10000", "sync a", "wait 6000", "commit a t-0=1", "wait 6000"])

    assert story.play(["heartbeat a"]) == ["12000 a heartbeat NONE"]


def test_an_id_that_was_promised_can_be_given_back(story: Story) -> None:
    """Nobody waits for it any more."""
    story.play(["enter a", "sync a", "join b", "enter c"])
    assert story.play(["join a"]) == []

    answers = story.play(["leave b"])

    assert answers[0] == "0 b leave NONE"
    assert [answer.split()[:3] for answer in answers[1:]] == [
        ["0", "a", "join"],
        ["0", "c", "join"],
    ]


def test_an_instance_is_removed_without_its_member_id() -> None:
    """What operators do (KIP-345)."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["join a instance=i", "sync a"])

    assert story.play(["leave instance=i"]) == ["0 i leave NONE"]
    assert classic_group(world.coordinator, "g").static_members == {}


def test_members_that_leave_together_make_one_rebalance(story: Story) -> None:
    """The next generation begins without both."""
    story.play(["enter a", "enter b", "enter c", "join a", "join b"])
    story.play(["sync a", "sync b", "sync c"])

    assert story.play(["leave b c", "join a"]) == [
        "0 b leave NONE",
        "0 c leave NONE",
        "0 a join generation 3 p as a-1 led by a-1 members a-1",
    ]
