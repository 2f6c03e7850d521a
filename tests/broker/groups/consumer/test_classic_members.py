"""Classic members of a consumer group (``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from broker.config import Config, parse_config
from broker.groups.consumer.group import ConsumerGroup
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld


@pytest.fixture
def player() -> ScriptPlayer:
    """A consumer group in which b owns all four partitions of t."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["topic t 4", "consume b t"])
    return player


def settled(player: ScriptPlayer) -> ScriptPlayer:
    """The classic member owns half of the partitions."""
    player.play(["enter a topics=t", "beat b", "beat b owned", "heartbeat a"])
    player.play(["join a topics=t", "sync a"])
    return player


# ---------------------------------------------------------------------------------------- join


def test_a_new_member_gets_an_id_and_then_an_assignment(player: ScriptPlayer) -> None:
    """Mirrors testJoiningConsumerGroupWithNewDynamicMember (KIP-394 applies, too)."""
    assert player.play(["join a topics=t"]) == ["0 a join MEMBER_ID_REQUIRED member-1"]
    assert player.play(["enter a topics=t", "sync a"]) == [
        "0 a join generation 3 p as member-1 led by ",
        "0 a sync nothing",
    ]


def test_an_old_client_joins_at_once(player: ScriptPlayer) -> None:
    """Before version 4 it cannot join again with an id."""
    assert player.play(["join a topics=t v=3"]) == ["0 a join generation 3 p as member-1 led by "]


def test_a_classic_member_gets_partitions_that_others_have_revoked(player: ScriptPlayer) -> None:
    """The response to its heartbeat says when to join again."""
    player.play(["enter a topics=t", "sync a"])
    assert player.play(["heartbeat a"]) == ["0 a heartbeat NONE"]
    player.play(["beat b", "beat b owned"])

    assert player.play(["heartbeat a", "join a topics=t", "sync a", "heartbeat a"]) == [
        "0 a heartbeat REBALANCE_IN_PROGRESS",
        "0 a join generation 3 p as member-1 led by ",
        "0 a sync t-2,3",
        "0 a heartbeat NONE",
    ]


def test_a_member_need_not_join_again_before_there_is_a_new_target_assignment() -> None:
    """With an assignment interval, the group epoch may be ahead of the epoch of that assignment."""
    player = ScriptPlayer(VirtualWorld(Config(group_consumer_assignment_interval_ms=1000)))
    player.play(["topic t 4", "consume b t"])

    assert player.play(["enter a topics=t", "sync a", "heartbeat a"]) == [
        "0 a join generation 2 p as member-1 led by ",
        "0 a sync nothing",
        "0 a heartbeat NONE",
    ]
    assert player.play(["wait 1000", "beat b", "heartbeat a"])[-1] == (
        "1000 a heartbeat REBALANCE_IN_PROGRESS"
    )


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ("type=connect", "INCONSISTENT_GROUP_PROTOCOL"),
        ("protocols=q", "INCONSISTENT_GROUP_PROTOCOL"),
        ("protocols=", "INCONSISTENT_GROUP_PROTOCOL"),
        ("metadata=x", "UNKNOWN_SERVER_ERROR"),
    ],
)
def test_a_join_with_other_protocols_or_malformed_metadata_is_refused(
    player: ScriptPlayer, options: str, error: str
) -> None:
    """All classic members must support one of the protocols."""
    settled(player)
    responses = player.play([f"join c v=3 {options}"])

    assert [response.split()[:4] for response in responses] == [["0", "c", "join", error]]


def test_an_instance_that_its_member_has_changed_cannot_be_replaced() -> None:
    """If the group would become a classic one; as in Kafka 4.3.1, nothing changes."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["topic t 1", "consume b t instance=i", "consume b t instance=j"])
    before = player.play(["describe"])

    assert player.play(["join a topics=t instance=i"]) == ["0 a join UNKNOWN_SERVER_ERROR"]
    assert player.play(["describe"]) == before


def test_a_disabled_migration_refuses_classic_members() -> None:
    """If the group has members of the consumer protocol."""
    player = ScriptPlayer(
        VirtualWorld(parse_config({"group.consumer.migration.policy": "disabled"}))
    )
    player.play(["consume b t"])

    assert player.play(["enter a topics=t"])[0].startswith("0 a join INCONSISTENT_GROUP_PROTOCOL")


def test_a_full_group_refuses_classic_members() -> None:
    """Members of both protocols count."""
    player = ScriptPlayer(VirtualWorld(parse_config({"group.consumer.max.size": "1"})))
    player.play(["consume b t"])

    assert player.play(["enter a topics=t"])[0].startswith("0 a join GROUP_MAX_SIZE_REACHED")


def test_a_returning_static_classic_member_keeps_its_assignment(player: ScriptPlayer) -> None:
    """Its former member id is fenced."""
    player.play(["join a topics=t instance=i", "beat b", "beat b owned"])
    player.play(["join a topics=t", "sync a"])

    assert player.play(["join c topics=t instance=i", "sync c", "heartbeat a"]) == [
        "0 c join generation 3 p as member-2 led by ",
        "0 c sync t-2,3",
        "0 a heartbeat FENCED_INSTANCE_ID",
    ]


def test_a_join_waits_for_replication(player: ScriptPlayer) -> None:
    """If it is refused the response has no member id, and the client joins again."""
    player.play(["slow"])
    assert player.play(["join a topics=t v=3"]) == []
    assert player.play(["replicate"]) == ["0 a join generation 3 p as member-1 led by "]

    player.play(["slow", "join c topics=t v=3"])
    assert player.play(["unload"]) == ["0 c join NOT_COORDINATOR"]


def test_the_last_consumer_returns_with_the_classic_protocol() -> None:
    """The group is downgraded, even if it is the only member."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["topic t 4", "consume b t instance=i"])

    assert player.play(["join a topics=t instance=i", "state", "sync a"]) == [
        "0 a join generation 2 p as member-1 led by ",
        "0 state Stable generation 2 members member-1",
        "0 a sync t-0,1,2,3",
    ]
    assert not isinstance(world.coordinator.groups["g"], ConsumerGroup)


def test_a_downgraded_group_has_the_target_assignment() -> None:
    """A member gets partitions that another one has not revoked yet."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["topic t 3", "enter a topics=t instance=i", "sync a a=t-0,1,2"])
    player.play(["consume b t instance=j"])

    assert player.play(["join c topics=t instance=j", "sync c", "sync a generation=2"]) == [
        "0 c join generation 2 p as member-1 led by ",
        "0 c sync t-2",
        "0 a sync t-0,1",
    ]


def test_a_returning_static_member_does_not_increase_the_group_size() -> None:
    """``group.max.size`` of the classic group is compared with the present size."""
    world = VirtualWorld(parse_config({"group.max.size": "1"}))
    player = ScriptPlayer(world)
    player.play(["topic t 4", "enter a topics=t", "sync a a=t-0", "consume b t instance=i"])
    player.play(["join c topics=t instance=i"])

    assert isinstance(world.coordinator.groups["g"], ConsumerGroup)


def test_a_member_that_has_downgraded_its_group_has_no_sync_timeout() -> None:
    """It has synced with the classic group; it stays when the group is upgraded."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["topic t 4", "consume b t instance=i"])
    player.play(["join a topics=t instance=i rebalance=8000", "sync a", "consume c t"])
    player.play(["wait 4000", "heartbeat a", "wait 4000"])

    assert player.play(["heartbeat a"]) == ["8000 a heartbeat REBALANCE_IN_PROGRESS"]


def test_a_join_begins_the_resolution_of_regular_expressions() -> None:
    """A heartbeat does not begin it for a new expression, if the last resolution was recent."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["topic t 1", "topic u 1", "consume b regex=t", "wait 1", "beat b"])
    player.play(["beat b regex=u", "wait 1", "enter a topics=t"])

    assert player.play(["describe", "wait 1", "describe"])[::3] == [
        "2 group Reconciling epoch 3 assigned 3",
        "3 group Assigning epoch 4 assigned 3",
    ]


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
def test_requests_of_other_members_are_refused(
    player: ScriptPlayer, options: str, error: str
) -> None:
    """Of unknown members, consumers, and classic members of another generation."""
    settled(player)

    assert player.play([f"sync a {options}", f"heartbeat a {options}"]) == [
        f"0 a sync {error}",
        f"0 a heartbeat {error}",
    ]


@pytest.mark.parametrize("options", ["type=connect", "protocol=q"])
def test_a_sync_with_another_protocol_is_refused(player: ScriptPlayer, options: str) -> None:
    """KIP-559."""
    assert settled(player).play([f"sync a {options}"]) == ["0 a sync INCONSISTENT_GROUP_PROTOCOL"]


def test_a_sync_in_an_old_epoch_is_refused(player: ScriptPlayer) -> None:
    """The member has to join again for the new assignment."""
    settled(player).play(["consume c t"])

    assert player.play(["sync a", "heartbeat a"]) == [
        "0 a sync REBALANCE_IN_PROGRESS",
        "0 a heartbeat REBALANCE_IN_PROGRESS",
    ]


def test_a_member_that_does_not_join_again_is_removed(player: ScriptPlayer) -> None:
    """Even if it sends heartbeats."""
    player.play(["enter a topics=t rebalance=8000", "sync a", "consume c t"])
    player.play(["heartbeat a", "wait 7999", "heartbeat a"])

    assert player.play(["wait 1", "heartbeat a"]) == ["8000 a heartbeat UNKNOWN_MEMBER_ID"]


def test_a_member_that_does_not_sync_is_removed(player: ScriptPlayer) -> None:
    """Even if it sends heartbeats."""
    player.play(["enter a topics=t rebalance=8000", "wait 7999", "heartbeat a"])

    assert player.play(["wait 1", "heartbeat a"]) == ["8000 a heartbeat UNKNOWN_MEMBER_ID"]


# --------------------------------------------------------------------------------------- leave


def test_each_leaving_member_has_its_own_error(player: ScriptPlayer) -> None:
    """Members of the consumer protocol can be removed."""
    settled(player).play(["join s topics=t instance=i"])
    player.play(["sync s"])

    assert player.play(["leave a b instance=i", "leave a instance=i", "describe"]) == [
        "0 a leave NONE",
        "0 b leave NONE",
        "0 i leave NONE",
        "0 a leave UNKNOWN_MEMBER_ID",
        "0 i leave UNKNOWN_MEMBER_ID",
        "0 group Empty epoch 5 assigned 4",
    ]


def test_a_leave_of_unknown_members_changes_nothing(player: ScriptPlayer) -> None:
    """The group epoch stays."""
    settled(player)
    before = player.play(["describe"])
    player.play(["leave instance=x"])

    assert player.play(["describe"]) == before
