"""Groups change their kind (mirrors the upgrade and downgrade tests of Kafka's manager)."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import parse_config
from broker.groups.classic.group import ClassicGroup
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.migration import assignment_bytes
from protocol.codec import encode
from protocol.consumer_protocol import ConsumerProtocolAssignment, parse_assignment
from protocol.errors import ErrorCode
from tests.broker.groups.consumer.books import T, U, owned, topics_of
from tests.broker.groups.story import Story
from tests.broker.groups.virtual_world import VirtualWorld, classic_group

STABLE_CLASSIC = ["topic t 4", "enter a topics=t", "sync a a=t-0,1,2,3"]


def story_of(**settings: str) -> Story:
    """A story under a policy, bidirectional unless it is told otherwise."""
    config = {f"group.{key.replace('_', '.')}": value for key, value in settings.items()}
    return Story(VirtualWorld(parse_config(config)))


def joined(story: Story) -> str:
    """What the first consumer of the new kind is answered."""
    return story.play(["consume b t"])[-1]


# ------------------------------------------------------------------------------------- upgrade


@pytest.mark.parametrize(
    ("policy", "answer"),
    [
        ("bidirectional", "0 b consume epoch 2 has nothing"),
        ("upgrade", "0 b consume epoch 2 has nothing"),
        ("downgrade", "0 b consume GROUP_ID_NOT_FOUND"),
        ("disabled", "0 b consume GROUP_ID_NOT_FOUND"),
    ],
)
def test_the_policy_allows_an_upgrade_or_not(policy: str, answer: str) -> None:
    """The classic group goes on if not."""
    story = story_of(consumer_migration_policy=policy)
    story.play(STABLE_CLASSIC)

    assert joined(story) == answer
    expected = "NONE" if answer.endswith("NOT_FOUND") else "REBALANCE_IN_PROGRESS"
    assert story.play(["heartbeat a"]) == [f"0 a heartbeat {expected}"]


@pytest.mark.parametrize("policy", ["disabled", "bidirectional"])
def test_a_group_without_members_becomes_what_is_asked_for(policy: str) -> None:
    """It keeps its offsets."""
    story = story_of(consumer_migration_policy=policy)
    story.play(["topic t 4", "commit - t-0=5"])

    assert joined(story) == "0 b consume epoch 2 has t-0,1,2,3"
    assert story.play(["offsets"]) == ["0 offsets t-0=5"]
    story.play(["quit b"])
    assert story.play(["enter a", "state", "offsets"])[1:] == [
        "0 state CompletingRebalance generation 1 members a-1",
        "0 offsets t-0=5",
    ]


def test_an_upgraded_group_is_found_so_after_a_restart() -> None:
    """Its records say all of it."""
    story = story_of()
    story.play(STABLE_CLASSIC)
    story.play(["consume b t"])
    before = story.play(["describe"])

    assert story.play(["restart", "describe"]) == before


def test_who_waits_in_the_classic_group_has_to_join_again() -> None:
    """It finds the consumer group then."""
    story = story_of()
    story.play([*STABLE_CLASSIC, "enter c topics=t"])

    assert story.play(["consume b t"]) == [
        "0 b consume epoch 2 has nothing",
        "0 c join REBALANCE_IN_PROGRESS c-1",
    ]


@pytest.mark.parametrize(
    ("setting", "commands", "why"),
    [
        ({}, ["enter a type=connect", "sync a"], "does not use the consumer embedded protocol"),
        ({}, ["enter a", "sync a"], "the embedded consumer protocol is malformed"),
        (
            {"consumer_max_size": "1"},
            ["enter a topics=t", "enter c topics=t", "join a topics=t", "sync c", "sync a"],
            "exceeds the consumer group maximum size",
        ),
    ],
    ids=["connect", "malformed", "too large"],
)
def test_groups_that_cannot_be_upgraded(
    setting: dict[str, str], commands: list[str], why: str
) -> None:
    """They stay what they are, and say why not."""
    config = parse_config({f"group.{key.replace('_', '.')}": each for key, each in setting.items()})
    world = VirtualWorld(config)
    story = Story(world)
    story.play(["topic t 4", *commands])
    group = classic_group(world.coordinator, "g")
    with pytest.raises(ApiError) as refused:
        world.coordinator.consumers._migration.upgraded(group)

    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    assert why in (refused.value.message or "")
    assert joined(story) == "0 b consume GROUP_ID_NOT_FOUND"
    assert world.coordinator.groups["g"] is group


def test_an_assignor_of_the_clients_own_cannot_be_followed() -> None:
    """User data is its mark."""
    world = VirtualWorld()
    story = Story(world)
    story.play(STABLE_CLASSIC)
    (member,) = classic_group(world.coordinator, "g").members.values()
    with_user_data = ConsumerProtocolAssignment(assigned_partitions=[], user_data=b"mine")
    member.assignment = assignment_of(with_user_data)

    assert joined(story) == "0 b consume GROUP_ID_NOT_FOUND"


def assignment_of(assignment: ConsumerProtocolAssignment) -> bytes:
    """An assignment as leaders write it, with a version in front."""
    return b"\x00\x01" + encode(assignment, 1)


def test_what_the_leader_assigned_of_topics_that_are_gone_is_left_out() -> None:
    """Nobody can have it any more."""
    story = story_of()
    story.play(["topic t 2", "topic u 1", "enter a topics=t,u", "sync a a=t-0,1/u-0", "drop u"])
    story.play(["consume b t"])

    assert story.play(["describe"])[1] == "0 - a-1 epoch 1 has t-0,1 shall have t-0"


# ----------------------------------------------------------------------------------- downgrade


def upgraded(**settings: str) -> Story:
    """A group in which a speaks the classic protocol and b the new one."""
    story = story_of(**settings)
    story.play([*STABLE_CLASSIC, "consume b t", "join a topics=t owned=t-0,1,2,3", "sync a"])
    story.play(["join a topics=t owned=t-0,1", "sync a", "beat b"])
    return story


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, ClassicGroup),
        ({"consumer_migration_policy": "upgrade"}, ConsumerGroup),
    ],
)
def test_the_last_of_the_new_kind_leaves(settings: dict[str, str], kind: type) -> None:
    """If the policy allows it."""
    story = upgraded(**settings)
    story.play(["quit b"])

    assert type(story._world.coordinator.groups["g"]) is kind


@pytest.mark.parametrize("how", ["quit b", "wait 45000"])
def test_a_downgraded_group_is_found_so_after_a_restart(how: str) -> None:
    """Whether the last one of the new kind has left or fallen silent."""
    story = upgraded()
    if how.startswith("wait"):
        story.play(["wait 9000", "heartbeat a"] * 5)
    else:
        story.play([how])
    now = story.play(["state"])[0].split(" ", 2)

    assert now[1:] == ["state", "PreparingRebalance generation 2 members a-1"]
    story.play(["restart"])
    assert story.play(["state"])[0].endswith("state Stable generation 2 members a-1")


def test_a_group_that_is_too_large_for_a_classic_one_stays() -> None:
    """``group.max.size`` counts who is left."""
    story = story_of(max_size="1")
    story.play([*STABLE_CLASSIC, "consume b t", "join c topics=t as=nobody"])
    story.play(["enter c topics=t", "quit b"])

    group = story._world.coordinator.groups["g"]
    assert isinstance(group, ConsumerGroup)
    assert len(group.members) == 2


def test_a_group_with_another_of_the_new_kind_stays() -> None:
    """Downgrading needs that all of them have gone."""
    story = upgraded()
    story.play(["consume d t", "quit b"])

    assert isinstance(story._world.coordinator.groups["g"], ConsumerGroup)


def test_assignments_are_written_as_consumers_read_them() -> None:
    """By name, in the version that the consumer knows; topics that are gone are left out."""
    raw = assignment_bytes(owned(T, 1, 0) | owned(U, 0), topics_of(t=2), 2)

    assert raw[:2] == b"\x00\x02"
    (only,) = parse_assignment(raw).assigned_partitions
    assert (only.topic, only.partitions) == ("t", [0, 1])
