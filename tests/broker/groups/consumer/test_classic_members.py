"""Members of the classic protocol in a consumer group (``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from broker.config import parse_config
from broker.groups.consumer.group import ConsumerGroup
from tests.broker.groups.story import Story
from tests.broker.groups.virtual_world import VirtualWorld


@pytest.fixture
def story() -> Story:
    """A consumer group in which b has all four partitions of t."""
    story = Story(VirtualWorld())
    story.play(["topic t 4", "consume b t"])
    return story


def settled(story: Story) -> Story:
    """A member of the classic protocol has its half."""
    story.play(["enter a topics=t", "beat b", "beat b owned", "heartbeat a"])
    story.play(["join a topics=t", "sync a"])
    return story


# ---------------------------------------------------------------------------------------- join


def test_a_newcomer_gets_an_id_and_then_its_part(story: Story) -> None:
    """Mirrors testJoiningConsumerGroupWithNewDynamicMember (KIP-394 goes for it, too)."""
    assert story.play(["join a topics=t"]) == ["0 a join MEMBER_ID_REQUIRED member-1"]
    assert story.play(["enter a topics=t", "sync a"]) == [
        "0 a join generation 3 p as member-1 led by ",
        "0 a sync nothing",
    ]


def test_an_old_client_joins_at_once(story: Story) -> None:
    """Before v4 it cannot come again with an id."""
    assert story.play(["join a topics=t v=3"]) == ["0 a join generation 3 p as member-1 led by "]


def test_it_gets_what_others_have_given_up(story: Story) -> None:
    """A heartbeat tells it when."""
    story.play(["enter a topics=t", "sync a"])
    assert story.play(["heartbeat a"]) == ["0 a heartbeat NONE"]
    story.play(["beat b", "beat b owned"])

    assert story.play(["heartbeat a", "join a topics=t", "sync a", "heartbeat a"]) == [
        "0 a heartbeat REBALANCE_IN_PROGRESS",
        "0 a join generation 3 p as member-1 led by ",
        "0 a sync t-2,3",
        "0 a heartbeat NONE",
    ]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("type=connect", "INCONSISTENT_GROUP_PROTOCOL"),
        ("protocols=q", "INCONSISTENT_GROUP_PROTOCOL"),
        ("protocols=", "INCONSISTENT_GROUP_PROTOCOL"),
        ("metadata=x", "UNKNOWN_SERVER_ERROR"),
    ],
)
def test_a_newcomer_that_does_not_fit(story: Story, options: str, error: str) -> None:
    """There must be a protocol that all know, and metadata that the broker can read."""
    settled(story)
    answers = story.play([f"join c v=3 {options}"])

    assert [answer.split()[:4] for answer in answers] == [["0", "c", "join", error]]


def test_an_instance_that_its_member_has_changed_cannot_be_replaced() -> None:
    """If that would make the group a classic one; as from Kafka 4.3.1, nothing changes."""
    story = Story(VirtualWorld())
    story.play(["topic t 1", "consume b t instance=i", "consume b t instance=j"])
    before = story.play(["describe"])

    assert story.play(["join a topics=t instance=i"]) == ["0 a join UNKNOWN_SERVER_ERROR"]
    assert story.play(["describe"]) == before


def test_nobody_migrates_where_that_is_forbidden() -> None:
    """A group with members of the new kind takes none of the old."""
    story = Story(VirtualWorld(parse_config({"group.consumer.migration.policy": "disabled"})))
    story.play(["consume b t"])

    assert story.play(["enter a topics=t"])[0].startswith("0 a join INCONSISTENT_GROUP_PROTOCOL")


def test_a_full_group_takes_no_more() -> None:
    """Consumers of either protocol count."""
    story = Story(VirtualWorld(parse_config({"group.consumer.max.size": "1"})))
    story.play(["consume b t"])

    assert story.play(["enter a topics=t"])[0].startswith("0 a join GROUP_MAX_SIZE_REACHED")


def test_an_instance_takes_over_from_its_former_self(story: Story) -> None:
    """It gets the same part, and the former one is fenced."""
    story.play(["join a topics=t instance=i", "beat b", "beat b owned"])
    story.play(["join a topics=t", "sync a"])

    assert story.play(["join c topics=t instance=i", "sync c", "heartbeat a"]) == [
        "0 c join generation 3 p as member-2 led by ",
        "0 c sync t-2,3",
        "0 a heartbeat FENCED_INSTANCE_ID",
    ]


def test_a_join_is_answered_when_it_is_replicated(story: Story) -> None:
    """Or refused; then it has no id, and the member begins anew."""
    story.play(["slow"])
    assert story.play(["join a topics=t v=3"]) == []
    assert story.play(["replicate"]) == ["0 a join generation 3 p as member-1 led by "]

    story.play(["slow", "join c topics=t v=3"])
    assert story.play(["unload"]) == ["0 c join NOT_COORDINATOR"]


def test_the_last_instance_comes_back_with_the_classic_protocol() -> None:
    """Even if it is the only member there is."""
    world = VirtualWorld()
    story = Story(world)
    story.play(["topic t 4", "consume b t instance=i"])

    assert story.play(["join a topics=t instance=i", "state", "sync a"]) == [
        "0 a join generation 2 p as member-1 led by ",
        "0 state Stable generation 2 members member-1",
        "0 a sync t-0,1,2,3",
    ]
    assert not isinstance(world.coordinator.groups["g"], ConsumerGroup)


def test_an_instance_that_comes_back_leaves_the_group_as_large_as_it_was() -> None:
    """``group.max.size`` counts it, too, when the group is to become a classic one."""
    world = VirtualWorld(parse_config({"group.max.size": "1"}))
    story = Story(world)
    story.play(["topic t 4", "enter a topics=t", "sync a a=t-0", "consume b t instance=i"])
    story.play(["join c topics=t instance=i"])

    assert isinstance(world.coordinator.groups["g"], ConsumerGroup)


def test_a_member_that_downgraded_its_group_is_not_waited_for_as_a_consumer() -> None:
    """It has synced with the classic group; nobody throws it out when the group is upgraded."""
    story = Story(VirtualWorld())
    story.play(["topic t 4", "consume b t instance=i"])
    story.play(["join a topics=t instance=i rebalance=8000", "sync a", "consume c t"])
    story.play(["wait 4000", "heartbeat a", "wait 4000"])

    assert story.play(["heartbeat a"]) == ["8000 a heartbeat REBALANCE_IN_PROGRESS"]


# --------------------------------------------------------------------------- sync and heartbeat


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("as=b", "UNKNOWN_MEMBER_ID"),
        ("as=x", "UNKNOWN_MEMBER_ID"),
        ("generation=1", "ILLEGAL_GENERATION"),
        ("generation=9", "ILLEGAL_GENERATION"),
        ("instance=i", "UNKNOWN_MEMBER_ID"),
    ],
)
def test_who_may_not_ask(story: Story, options: str, error: str) -> None:
    """Strangers, members of the new kind, and who is in another generation."""
    settled(story)

    assert story.play([f"sync a {options}", f"heartbeat a {options}"]) == [
        f"0 a sync {error}",
        f"0 a heartbeat {error}",
    ]


@pytest.mark.parametrize("options", ["type=connect", "protocol=q"])
def test_a_sync_for_another_protocol(story: Story, options: str) -> None:
    """KIP-559: what is named must be what was chosen."""
    assert settled(story).play([f"sync a {options}"]) == ["0 a sync INCONSISTENT_GROUP_PROTOCOL"]


def test_a_sync_in_a_group_that_has_moved_on(story: Story) -> None:
    """There is something else to get; joining again brings it."""
    settled(story).play(["consume c t"])

    assert story.play(["sync a", "heartbeat a"]) == [
        "0 a sync REBALANCE_IN_PROGRESS",
        "0 a heartbeat REBALANCE_IN_PROGRESS",
    ]


def test_who_does_not_join_again_is_thrown_out(story: Story) -> None:
    """Heartbeats do not help."""
    story.play(["enter a topics=t rebalance=8000", "sync a", "consume c t"])
    story.play(["heartbeat a", "wait 7999", "heartbeat a"])

    assert story.play(["wait 1", "heartbeat a"]) == ["8000 a heartbeat UNKNOWN_MEMBER_ID"]


def test_who_does_not_sync_is_thrown_out(story: Story) -> None:
    """The same for the second half."""
    story.play(["enter a topics=t rebalance=8000", "wait 7999", "heartbeat a"])

    assert story.play(["wait 1", "heartbeat a"]) == ["8000 a heartbeat UNKNOWN_MEMBER_ID"]


# --------------------------------------------------------------------------------------- leave


def test_each_that_leaves_has_its_own_error(story: Story) -> None:
    """Members of the new kind can be taken out."""
    settled(story).play(["join s topics=t instance=i"])
    story.play(["sync s"])

    assert story.play(["leave a b instance=i", "leave a instance=i", "describe"]) == [
        "0 a leave NONE",
        "0 b leave NONE",
        "0 i leave NONE",
        "0 a leave UNKNOWN_MEMBER_ID",
        "0 i leave UNKNOWN_MEMBER_ID",
        "0 group Empty epoch 5 assigned 4",
    ]


def test_nobody_found_changes_nothing(story: Story) -> None:
    """No epoch is spent on it."""
    settled(story)
    before = story.play(["describe"])
    story.play(["leave instance=x"])

    assert story.play(["describe"]) == before
