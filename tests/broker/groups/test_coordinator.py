"""Coordinator."""

from __future__ import annotations

import pytest

from broker.errors import ApiError
from broker.groups.coordinator import GroupCoordinator
from broker.groups.requests import (
    JoinGroup,
    JoinResult,
    LeavingMember,
    MemberProtocol,
    SyncGroup,
    SyncResult,
)
from protocol.errors import ErrorCode
from tests.broker.groups.story import Story
from tests.broker.groups.virtual_world import VirtualWorld


@pytest.fixture
def coordinator() -> GroupCoordinator:
    return VirtualWorld().coordinator


def join(coordinator: GroupCoordinator, **asked: object) -> JoinResult:
    request = JoinGroup(
        group_id="g",
        member_id="",
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=(MemberProtocol("p", b"metadata"),),
    )
    for name, value in asked.items():
        setattr(request, name, value)
    results: list[JoinResult] = []
    coordinator.join_group(request, results.append)
    return results.pop()


def sync(coordinator: GroupCoordinator, **asked: object) -> SyncResult:
    request = SyncGroup(group_id="g", generation_id=1, member_id="m", assignments={})
    for name, value in asked.items():
        setattr(request, name, value)
    results: list[SyncResult] = []
    coordinator.sync_group(request, results.append)
    return results.pop()


def test_a_group_has_a_name(coordinator: GroupCoordinator) -> None:
    """The empty one is only good for committing."""
    refused = join(coordinator, group_id="", member_id="m", session_timeout_ms=1)
    assert (refused.error, refused.member_id) == (ErrorCode.INVALID_GROUP_ID, "m")
    assert sync(coordinator, group_id="").error is ErrorCode.INVALID_GROUP_ID
    assert coordinator.heartbeat("", "m", None, 1) is ErrorCode.INVALID_GROUP_ID
    with pytest.raises(ApiError, match="INVALID_GROUP_ID"):
        coordinator.leave_group("", [])


@pytest.mark.parametrize("session_timeout_ms", [-1, 5_999, 1_800_001])
def test_session_timeouts_have_bounds(
    coordinator: GroupCoordinator, session_timeout_ms: int
) -> None:
    """``group.min.session.timeout.ms`` and ``group.max.session.timeout.ms``."""
    refused = join(coordinator, member_id="m", session_timeout_ms=session_timeout_ms)

    assert (refused.error, refused.member_id) == (ErrorCode.INVALID_SESSION_TIMEOUT, "m")
    assert coordinator.groups == {}


def test_nobody_is_a_member_of_a_group_that_does_not_exist(coordinator: GroupCoordinator) -> None:
    """Only a newcomer makes a group."""
    assert join(coordinator, member_id="m").error is ErrorCode.UNKNOWN_MEMBER_ID
    assert sync(coordinator).error is ErrorCode.UNKNOWN_MEMBER_ID
    assert coordinator.heartbeat("g", "m", None, 1) is ErrorCode.UNKNOWN_MEMBER_ID
    left = coordinator.leave_group("g", [LeavingMember(member_id="m")] * 2)
    assert left == [ErrorCode.UNKNOWN_MEMBER_ID] * 2
    assert coordinator.groups == {}


def test_the_leader_is_told_what_members_say_of_themselves(coordinator: GroupCoordinator) -> None:
    """Under the protocol that was chosen."""
    joined = join(coordinator, client_id="c", group_instance_id="i")
    (only,) = joined.members

    assert only == (joined.member_id, "i", b"metadata")
    assert joined.protocol_type == "consumer"


def test_a_named_protocol_must_be_the_group_s(coordinator: GroupCoordinator) -> None:
    """KIP-559; what is not named is not checked."""
    member_id = join(coordinator).member_id

    wrong_type = sync(coordinator, member_id=member_id, protocol_type="connect")
    wrong_name = sync(coordinator, member_id=member_id, protocol_name="q")
    right = sync(coordinator, member_id=member_id, protocol_type="consumer", protocol_name="p")
    unnamed = sync(coordinator, member_id=member_id)
    assert wrong_type.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert wrong_name.error is ErrorCode.INCONSISTENT_GROUP_PROTOCOL
    assert (right.error, right.protocol_type, right.protocol_name) == (0, "consumer", "p")
    assert unnamed.error is ErrorCode.NONE


def test_the_wrong_generation_is_told_before_the_wrong_protocol(
    coordinator: GroupCoordinator,
) -> None:
    """Kafka looks for errors in this order."""
    member_id = join(coordinator).member_id
    refused = sync(coordinator, member_id=member_id, generation_id=7, protocol_type="connect")

    assert refused.error is ErrorCode.ILLEGAL_GENERATION


def test_each_leaving_member_has_its_own_error(coordinator: GroupCoordinator) -> None:
    """And the group rebalances once for all that left."""
    member_id = join(coordinator, group_instance_id="i").member_id
    left = coordinator.leave_group(
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
    assert coordinator.groups["g"].generation_id == 2


def test_nobody_left_changes_nothing(coordinator: GroupCoordinator) -> None:
    """A request in which all members are unknown, or none is named, starts no rebalance."""
    join(coordinator)
    assert coordinator.leave_group("g", [LeavingMember(member_id="x")]) == [
        ErrorCode.UNKNOWN_MEMBER_ID
    ]
    assert coordinator.leave_group("g", []) == []
    assert coordinator.groups["g"].state == "CompletingRebalance"


def test_groups_can_be_found_again_after_they_were_given_up() -> None:
    """A coordinator that gets its groups back begins anew."""
    story = Story(VirtualWorld())
    story.play(["enter a", "sync a", "unload"])

    assert story.play(["enter b"]) == ["0 b join generation 1 p as b-1 led by b-1 members b-1"]


def test_many_members_join_in_no_time() -> None:
    """Two hundred members of one group come, wait for each other, and are stable."""
    world = VirtualWorld()
    story = Story(world)
    names = [f"m{number}" for number in range(200)]
    story.play([f"enter {name}" for name in names])
    joined = story.play(["join m0"])
    assert len(joined) == 200
    story.play([f"sync {name}" for name in names[1:]])
    assert len(story.play(["sync m0"])) == 200

    assert world.coordinator.groups["g"].state == "Stable"
    assert world.heartbeats.num_delayed() == 200
