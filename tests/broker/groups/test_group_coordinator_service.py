"""Group coordinator service."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.config import parse_config
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.requests import (
    JoinGroup,
    JoinResult,
    LeavingMember,
    SyncGroup,
    SyncResult,
)
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld, classic_group


@pytest.fixture
def world() -> VirtualWorld:
    return VirtualWorld()


def join(world: VirtualWorld, **fields: object) -> JoinResult:
    request = JoinGroup(
        group_id="g",
        member_id="",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=(MemberProtocol("p", b"metadata"),),
    )
    for name, value in fields.items():
        setattr(request, name, value)
    results: list[JoinResult] = []
    world.coordinator.join_group(request, results.append)
    world.end_request()
    return results.pop()


def sync(world: VirtualWorld, **fields: object) -> SyncResult:
    request = SyncGroup(group_id="g", generation_id=1, member_id="m", assignments={})
    for name, value in fields.items():
        setattr(request, name, value)
    results: list[SyncResult] = []
    world.coordinator.sync_group(request, results.append)
    world.end_request()
    return results.pop()


def test_an_empty_group_id_is_refused(world: VirtualWorld) -> None:
    """It is valid only for offsets."""
    refused = join(world, group_id="", member_id="m", session_timeout_ms=1)
    assert (refused.error, refused.member_id) == (ErrorCode.INVALID_GROUP_ID, "m")
    assert sync(world, group_id="").error is ErrorCode.INVALID_GROUP_ID
    with pytest.raises(ApiError, match="INVALID_GROUP_ID"):
        world.coordinator.heartbeat("", "m", None, 1)
    with pytest.raises(ApiError, match="INVALID_GROUP_ID"):
        world.coordinator.departures.leave("", [])


@pytest.mark.parametrize("session_timeout_ms", [-1, 5_999, 1_800_001])
def test_session_timeouts_have_bounds(world: VirtualWorld, session_timeout_ms: int) -> None:
    """``group.min.session.timeout.ms`` and ``group.max.session.timeout.ms``."""
    refused = join(world, member_id="m", session_timeout_ms=session_timeout_ms)

    assert (refused.error, refused.member_id) == (ErrorCode.INVALID_SESSION_TIMEOUT, "m")
    assert world.coordinator.groups == {}


def test_the_wrong_node_refuses_a_join_without_a_member_id(
    world: VirtualWorld,
) -> None:
    """An invalid request is refused before that check."""
    for partition in range(world.coordinator.runtime.partition_count):
        world.coordinator.runtime.on_resignation(partition)

    refused = join(world, member_id="m")
    assert (refused.error, refused.member_id) == (ErrorCode.NOT_COORDINATOR, "")
    too_short = join(world, member_id="m", session_timeout_ms=1)
    assert (too_short.error, too_short.member_id) == (ErrorCode.INVALID_SESSION_TIMEOUT, "m")


def test_a_consumer_group_refuses_a_join_without_a_member_id(
    world: VirtualWorld,
) -> None:
    """If the protocol type is not that of consumers."""
    world.coordinator.consumers.heartbeat(
        ConsumerGroupHeartbeat(
            group_id="g",
            member_id="c",
            member_epoch=0,
            rebalance_timeout_ms=10_000,
            subscribed_topic_names=frozenset({"t"}),
            owned={},
        ),
        1,
    )

    refused = join(world, member_id="m", protocol_type="connect")
    assert (refused.error, refused.member_id) == (ErrorCode.INCONSISTENT_GROUP_PROTOCOL, "")


def test_every_member_of_an_absent_group_is_unknown(world: VirtualWorld) -> None:
    """Only a JoinGroup without a member id creates a group."""
    assert join(world, member_id="m").error is ErrorCode.UNKNOWN_MEMBER_ID
    assert sync(world).error is ErrorCode.UNKNOWN_MEMBER_ID
    with pytest.raises(ApiError, match="UNKNOWN_MEMBER_ID"):
        world.coordinator.heartbeat("g", "m", None, 1)
    left = world.coordinator.departures.leave("g", [LeavingMember(member_id="m")] * 2)
    assert left == [ErrorCode.UNKNOWN_MEMBER_ID] * 2
    assert world.coordinator.groups == {}


def test_the_leader_gets_the_metadata_of_the_members(world: VirtualWorld) -> None:
    """That of the selected protocol."""
    joined = join(world, client_id="c", group_instance_id="i")
    (only,) = joined.members

    assert only == (joined.member_id, "i", b"metadata")
    assert joined.protocol_type == "consumer"


def test_the_protocol_of_a_sync_must_be_that_of_the_group(world: VirtualWorld) -> None:
    """KIP-559; fields that are absent are not checked."""
    member_id = join(world).member_id

    wrong_type = sync(world, member_id=member_id, protocol_type="connect")
    wrong_name = sync(world, member_id=member_id, protocol_name="q")
    right = sync(world, member_id=member_id, protocol_type="consumer", protocol_name="p")
    unnamed = sync(world, member_id=member_id)
    assert wrong_type.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert wrong_name.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert (right.error, right.protocol_type, right.protocol_name) == (0, "consumer", "p")
    assert unnamed.error is ErrorCode.NONE


def test_the_generation_is_checked_before_the_protocol(
    world: VirtualWorld,
) -> None:
    """Kafka has the same order of checks."""
    member_id = join(world).member_id
    refused = sync(world, member_id=member_id, generation_id=7, protocol_type="connect")

    assert refused.error is ErrorCode.ILLEGAL_GENERATION


def test_each_leaving_member_has_its_own_error(world: VirtualWorld) -> None:
    """The group rebalances once for all members that leave."""
    member_id = join(world, group_instance_id="i").member_id
    left = world.coordinator.departures.leave(
        "g",
        [
            LeavingMember(member_id="x"),
            LeavingMember(member_id="x", group_instance_id="i"),
            LeavingMember(member_id=""),
            LeavingMember(member_id="", group_instance_id="j"),
            LeavingMember(member_id=member_id, group_instance_id="i", reason="done"),
            LeavingMember(member_id=member_id),
        ],
    )

    assert [error.name for error in left] == [
        "UNKNOWN_MEMBER_ID",
        "FENCED_INSTANCE_ID",
        "UNKNOWN_MEMBER_ID",
        "UNKNOWN_MEMBER_ID",
        "NONE",
        "UNKNOWN_MEMBER_ID",
    ]
    world.end_request()
    assert classic_group(world.coordinator, "g").generation_id == 2


def test_a_leave_of_unknown_members_starts_no_rebalance(world: VirtualWorld) -> None:
    """Neither does a request that names no member."""
    join(world)
    assert world.coordinator.departures.leave("g", [LeavingMember(member_id="x")]) == [
        ErrorCode.UNKNOWN_MEMBER_ID
    ]
    assert world.coordinator.departures.leave("g", []) == []
    assert world.coordinator.groups["g"].state_name == "CompletingRebalance"


def test_groups_are_restored_when_they_are_loaded() -> None:
    """Members continue; a member whose request was refused has to join again."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a a=p0", "commit a t-0=7", "enter b"])
    assert player.play(["unload"]) == ["0 b join NOT_COORDINATOR b-1"]
    assert player.play(["heartbeat a"]) == ["0 a heartbeat NOT_COORDINATOR"]

    assert player.play(["restart", "heartbeat a", "sync a", "offsets"]) == [
        "0 a heartbeat NONE",
        "0 a sync p0",
        "0 offsets t-0=7",
    ]


def test_the_sessions_of_a_loaded_group_begin() -> None:
    """Its members expire if they send no heartbeats."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["enter a", "sync a", "restart"])

    assert player.play(["wait 9999", "state", "wait 1", "state"]) == [
        "9999 state Stable generation 1 members a-1",
        "10000 state Empty generation 2 members",
    ]


def test_a_loaded_group_that_is_too_large_rebalances() -> None:
    """The members that join last are refused."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "enter b", "join a", "sync b", "sync a"])
    world.config = parse_config({"group.max.size": "1"})

    assert player.play(["restart", "heartbeat a", "join a", "join b"]) == [
        "0 a heartbeat REBALANCE_IN_PROGRESS",
        "0 b join GROUP_MAX_SIZE_REACHED",
    ]


def test_groups_are_deleted_with_their_offsets() -> None:
    """A group with members cannot be deleted."""
    player = ScriptPlayer(VirtualWorld())

    assert player.play(["delete"]) == ["0 delete GROUP_ID_NOT_FOUND"]
    player.play(["enter a", "sync a", "commit a t-0=1"])
    assert player.play(["delete"]) == ["0 delete NON_EMPTY_GROUP"]
    player.play(["leave a"])
    assert player.play(["delete", "offsets", "restart", "delete"]) == [
        "0 delete NONE",
        "0 offsets none",
        "0 delete GROUP_ID_NOT_FOUND",
    ]


def test_many_members_join_a_group() -> None:
    """All two hundred join one generation, which becomes stable."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    names = [f"m{number}" for number in range(200)]
    player.play([f"enter {name}" for name in names])
    joined = player.play(["join m0"])
    assert len(joined) == 200
    player.play([f"sync {name}" for name in names[1:]])
    assert len(player.play(["sync m0"])) == 200

    assert world.coordinator.groups["g"].state_name == "Stable"
    assert world.heartbeats.num_delayed() == 200


def test_a_group_stays_if_the_log_refuses_its_deletion() -> None:
    """The next expiry of offsets deletes it."""
    world = VirtualWorld(parse_config({"offsets.retention.minutes": "1"}))
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "leave a", "wait 120000", "refuse NOT_ENOUGH_REPLICAS"])
    finish(world.coordinator.expire_offsets())
    assert "g" in world.coordinator.groups

    player.play(["refuse nothing"])
    finish(world.coordinator.expire_offsets())

    assert world.coordinator.groups == {}


def test_a_group_that_is_deleted_during_an_expiry_of_offsets_is_left_out() -> None:
    """Requests are served between two groups."""
    world = VirtualWorld()
    for group_id in ("a", "b"):
        join(world, group_id=group_id)
    world.wait(600_000)
    expiry = world.coordinator.expire_offsets()
    next(expiry)
    assert list(world.coordinator.groups) == ["b"]
    world.coordinator.delete_group("b")

    finish(expiry)

    assert world.coordinator.groups == {}
