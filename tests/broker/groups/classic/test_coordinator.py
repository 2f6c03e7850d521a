"""Requests of members of classic groups (classic tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from tests.broker.groups.story import Story
from tests.broker.groups.virtual_world import VirtualWorld, classic_group


@pytest.fixture
def story() -> Story:
    return Story(VirtualWorld())


def test_a_repeated_sync_has_the_same_response(story: Story) -> None:
    """Mirrors testSyncGroupFollowerAfterLeader: the first response may be lost."""
    story.play(["enter a", "sync a a=p0"])

    assert story.play(["sync a", "sync a a=other"]) == ["0 a sync p0", "0 a sync p0"]


def test_a_sync_during_a_rebalance_is_refused(story: Story) -> None:
    """There will be a new assignment."""
    story.play(["enter a", "sync a", "enter b"])

    assert story.play(["sync a"]) == ["0 a sync REBALANCE_IN_PROGRESS"]


def test_only_the_leader_assigns(story: Story) -> None:
    """The assignment in a follower's request is ignored."""
    story.play(["enter a", "enter b", "join a"])
    story.play(["sync b a=stolen b=stolen"])

    assert story.play(["sync a a=p0 b=p1"]) == ["0 a sync p0", "0 b sync p1"]


def test_a_member_without_an_assignment_gets_an_empty_one(story: Story) -> None:
    """Mirrors testSyncGroupLeaderAfterFollower; the leader's request lacks one member."""
    story.play(["enter a", "enter b", "join a", "sync b"])

    assert story.play(["sync a a=p0"]) == ["0 a sync p0", "0 b sync nothing"]


def test_a_heartbeat_of_another_generation_is_refused(story: Story) -> None:
    """Mirrors testHeartbeatIllegalGeneration: an older or a newer one."""
    story.play(["enter a", "sync a"])

    assert (
        story.play(["heartbeat a generation=0", "heartbeat a generation=2"])
        == ["0 a heartbeat ILLEGAL_GENERATION"] * 2
    )


def test_a_heartbeat_in_completing_rebalance_succeeds(story: Story) -> None:
    """Mirrors testHeartbeatMaintainsSession: the member need not join again."""
    story.play(["enter a", "enter b", "join a"])

    assert story.play(["heartbeat b"]) == ["0 b heartbeat NONE"]


def test_a_commit_in_completing_rebalance_does_not_restart_the_session(story: Story) -> None:
    """As in Kafka; the commit is refused."""
    story.play(["enter a session=10000", "wait 6000", "commit a t-0=1 generation=1", "wait 5000"])

    assert story.play(["state"]) == ["11000 state Empty generation 2 members"]


def test_a_commit_restarts_the_session(story: Story) -> None:
    """In a stable group a consumer that only commits stays a member."""
    story.play(["enter a session=10000", "sync a", "wait 6000", "commit a t-0=1", "wait 6000"])

    assert story.play(["heartbeat a"]) == ["12000 a heartbeat NONE"]


def test_a_pending_member_can_leave(story: Story) -> None:
    """The rebalance does not wait for it any more."""
    story.play(["enter a", "sync a", "join b", "enter c"])
    assert story.play(["join a"]) == []

    answers = story.play(["leave b"])

    assert answers[0] == "0 b leave NONE"
    assert [answer.split()[:3] for answer in answers[1:]] == [
        ["0", "a", "join"],
        ["0", "c", "join"],
    ]


def test_an_instance_is_removed_without_its_member_id() -> None:
    """By administrators (KIP-345)."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["join a instance=i", "sync a"])

    assert story.play(["leave instance=i"]) == ["0 i leave NONE"]
    assert classic_group(world.coordinator, "g").static_members == {}


def test_members_that_leave_together_cause_one_rebalance(story: Story) -> None:
    """The next generation begins without them."""
    story.play(["enter a", "enter b", "enter c", "join a", "join b"])
    story.play(["sync a", "sync b", "sync c"])

    assert story.play(["leave b c", "join a"]) == [
        "0 b leave NONE",
        "0 c leave NONE",
        "0 a join generation 3 p as a-1 led by a-1 members a-1",
    ]
