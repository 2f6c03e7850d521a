"""Upgrade and downgrade of groups (``GroupMetadataManagerTest``)."""

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
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld, classic_group

STABLE_CLASSIC = ["topic t 4", "enter a topics=t", "sync a a=t-0,1,2,3"]


def player_of(**settings: str) -> ScriptPlayer:
    """A scenario with a migration policy, bidirectional by default."""
    config = {f"group.{key.replace('_', '.')}": value for key, value in settings.items()}
    return ScriptPlayer(VirtualWorld(parse_config(config)))


def joined(player: ScriptPlayer) -> str:
    """The response to the first member of the consumer protocol."""
    return player.play(["consume b t"])[-1]


# ------------------------------------------------------------------------------------- upgrade


@pytest.mark.parametrize(
    ("policy", "response"),
    [
        ("bidirectional", "0 b consume epoch 2 has nothing"),
        ("upgrade", "0 b consume epoch 2 has nothing"),
        ("downgrade", "0 b consume GROUP_ID_NOT_FOUND"),
        ("disabled", "0 b consume GROUP_ID_NOT_FOUND"),
    ],
)
def test_the_policy_may_disable_upgrades(policy: str, response: str) -> None:
    """Then the classic group continues."""
    player = player_of(consumer_migration_policy=policy)
    player.play(STABLE_CLASSIC)

    assert joined(player) == response
    expected = "NONE" if response.endswith("NOT_FOUND") else "REBALANCE_IN_PROGRESS"
    assert player.play(["heartbeat a"]) == [f"0 a heartbeat {expected}"]


@pytest.mark.parametrize("policy", ["disabled", "bidirectional"])
def test_a_group_without_members_is_always_converted(policy: str) -> None:
    """It keeps its offsets."""
    player = player_of(consumer_migration_policy=policy)
    player.play(["topic t 4", "commit - t-0=5"])

    assert joined(player) == "0 b consume epoch 2 has t-0,1,2,3"
    assert player.play(["offsets"]) == ["0 offsets t-0=5"]
    player.play(["quit b"])
    assert player.play(["enter a", "state", "offsets"])[1:] == [
        "0 state CompletingRebalance generation 1 members a-1",
        "0 offsets t-0=5",
    ]


def test_an_upgraded_group_is_restored_from_its_records() -> None:
    """After a restart."""
    player = player_of()
    player.play(STABLE_CLASSIC)
    player.play(["consume b t"])
    before = player.play(["describe"])

    assert player.play(["restart", "describe"]) == before


def test_members_that_wait_in_the_classic_group_have_to_join_again() -> None:
    """They join the consumer group then."""
    player = player_of()
    player.play([*STABLE_CLASSIC, "enter c topics=t"])

    assert player.play(["consume b t"]) == [
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
    """They are unchanged, and the error message has the reason."""
    config = parse_config({f"group.{key.replace('_', '.')}": each for key, each in setting.items()})
    world = VirtualWorld(config)
    player = ScriptPlayer(world)
    player.play(["topic t 4", *commands])
    group = classic_group(world.coordinator, "g")
    with pytest.raises(ApiError) as refused:
        world.coordinator.consumers._migration.upgraded(group)  # noqa: SLF001 - scripts have no error messages

    assert refused.value.code is ErrorCode.GROUP_ID_NOT_FOUND
    assert why in (refused.value.message or "")
    assert joined(player) == "0 b consume GROUP_ID_NOT_FOUND"
    assert world.coordinator.groups["g"] is group


def test_a_group_with_a_custom_assignor_cannot_be_upgraded() -> None:
    """Its assignments contain user data."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(STABLE_CLASSIC)
    (member,) = classic_group(world.coordinator, "g").members.values()
    with_user_data = ConsumerProtocolAssignment(assigned_partitions=[], user_data=b"mine")
    member.assignment = assignment_of(with_user_data)

    assert joined(player) == "0 b consume GROUP_ID_NOT_FOUND"


def assignment_of(assignment: ConsumerProtocolAssignment) -> bytes:
    """An assignment as leaders send it, after its version."""
    return b"\x00\x01" + encode(assignment, 1)


def test_assignments_of_deleted_topics_are_left_out() -> None:
    """The other partitions stay assigned."""
    player = player_of()
    player.play(["topic t 2", "topic u 1", "enter a topics=t,u", "sync a a=t-0,1/u-0", "drop u"])
    player.play(["consume b t"])

    assert player.play(["describe"])[1] == "0 - a-1 epoch 1 has t-0,1 shall have t-0"


# ----------------------------------------------------------------------------------- downgrade


def upgraded(**settings: str) -> ScriptPlayer:
    """A group in which a uses the classic protocol and b the consumer protocol."""
    player = player_of(**settings)
    player.play([*STABLE_CLASSIC, "consume b t", "join a topics=t owned=t-0,1,2,3", "sync a"])
    player.play(["join a topics=t owned=t-0,1", "sync a", "beat b"])
    return player


@pytest.mark.parametrize(
    ("settings", "kind"),
    [
        ({}, ClassicGroup),
        ({"consumer_migration_policy": "upgrade"}, ConsumerGroup),
    ],
)
def test_a_group_is_downgraded_when_its_last_consumer_leaves(
    settings: dict[str, str], kind: type
) -> None:
    """Unless the policy disables it."""
    player = upgraded(**settings)
    player.play(["quit b"])

    assert type(player.world.coordinator.groups["g"]) is kind


@pytest.mark.parametrize("how", ["quit b", "wait 45000"])
def test_a_downgraded_group_is_restored_from_its_record(how: str) -> None:
    """Whether its last consumer has left or expired."""
    player = upgraded()
    if how.startswith("wait"):
        player.play(["wait 9000", "heartbeat a"] * 5)
    else:
        player.play([how])
    now = player.play(["state"])[0].split(" ", 2)

    assert now[1:] == ["state", "PreparingRebalance generation 2 members a-1"]
    player.play(["restart"])
    assert player.play(["state"])[0].endswith("state Stable generation 2 members a-1")


def test_a_group_that_exceeds_the_classic_size_is_not_downgraded() -> None:
    """``group.max.size`` is compared with the remaining members."""
    player = player_of(max_size="1")
    player.play([*STABLE_CLASSIC, "consume b t", "join c topics=t as=none"])
    player.play(["enter c topics=t", "quit b"])

    group = player.world.coordinator.groups["g"]
    assert isinstance(group, ConsumerGroup)
    assert len(group.members) == 2


def test_a_group_with_another_consumer_is_not_downgraded() -> None:
    """Only when the last one leaves."""
    player = upgraded()
    player.play(["consume d t", "quit b"])

    assert isinstance(player.world.coordinator.groups["g"], ConsumerGroup)


def test_assignments_are_written_in_the_version_of_the_member() -> None:
    """By topic name; deleted topics are left out."""
    raw = assignment_bytes(owned(T, 1, 0) | owned(U, 0), topics_of(t=2), 2)

    assert raw[:2] == b"\x00\x02"
    (only,) = parse_assignment(raw).assigned_partitions
    assert (only.topic, only.partitions) == ("t", [0, 1])
