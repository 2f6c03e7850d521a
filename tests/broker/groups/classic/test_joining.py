"""JoinGroup."""

from __future__ import annotations

import pytest

from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.requests import JoinGroup, JoinResult
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld, classic_group


def slow_return() -> ScriptPlayer:
    """A static member that returns to a stable group whose followers lag."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["join a instance=i", "enter b", "join a", "sync a a=p0 b=p1", "sync b", "slow"])
    assert player.play(["join c instance=i"]) == []
    return player


def test_a_returning_static_member_waits_for_replication() -> None:
    """Before that, the next coordinator may not know its new id."""
    player = slow_return()

    assert player.play(["replicate", "sync c"]) == [
        "0 c join generation 2 p as i-2 led by i-2 members b-1 i-2 skip assignment",
        "0 c sync p0",
    ]


def test_a_replacement_that_is_not_replicated_in_time_is_undone() -> None:
    """The former member id is valid again."""
    player = slow_return()

    assert player.play(["wait 5000", "replicate", "heartbeat a", "sync a"]) == [
        "5000 c join COORDINATOR_NOT_AVAILABLE",
        "5000 a heartbeat NONE",
        "5000 a sync p0",
    ]


def test_a_waiting_replacement_is_refused_when_the_coordinator_moves() -> None:
    """It gets one response."""
    assert slow_return().play(["unload"]) == ["0 c join NOT_COORDINATOR i-2"]


def test_a_replacement_that_the_log_refuses_is_undone() -> None:
    """The former member continues."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["join a instance=i", "sync a a=p0", "refuse NOT_LEADER_OR_FOLLOWER"])

    assert player.play(["join c instance=i", "heartbeat a"]) == [
        "0 c join NOT_COORDINATOR",
        "0 a heartbeat NONE",
    ]


def test_a_waiting_replacement_joins_a_rebalance_that_begins() -> None:
    """Its JoinGroup counts for the new generation."""
    player = slow_return()
    player.play(["enter d", "replicate"])

    assert player.play(["join b"]) == [
        "0 b join generation 3 p as b-1 led by i-2",
        "0 c join generation 3 p as i-2 led by i-2 members b-1 d-1 i-2",
        "0 d join generation 3 p as d-1 led by i-2",
    ]


def test_a_pending_member_cannot_become_static() -> None:
    """Kafka fails on this request and returns UNKNOWN_SERVER_ERROR."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["join a"])

    assert player.play(["join a instance=i"]) == ["0 a join UNKNOWN_SERVER_ERROR"]


def test_a_repeated_join_replaces_the_waiting_one() -> None:
    """Only the last request gets a response."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "enter b", "join b"])

    assert classic_group(world.coordinator, "g").awaiting_join_count == 1
    assert player.play(["join a"]) == [
        "0 a join generation 2 p as a-1 led by a-1 members a-1 b-1",
        "0 b join generation 2 p as b-1 led by a-1",
    ]


@pytest.mark.parametrize("version", [3, 9])
@pytest.mark.parametrize(("length", "is_refused"), [(32_730, False), (32_731, True)])
def test_a_member_id_that_is_too_long_is_refused(
    version: int, length: int, is_refused: bool
) -> None:
    """It is the client id, a dash and 36 characters; Kafka fails, too."""
    world = VirtualWorld()
    results: list[JoinResult] = []
    request = JoinGroup(
        group_id="g",
        member_id="",
        client_id="c" * length,
        session_timeout_ms=10_000,
        rebalance_timeout_ms=10_000,
        protocol_type="consumer",
        protocols=(MemberProtocol("p", b""),),
        require_known_member_id=version >= 4,
    )
    world.coordinator.join_group(request, results.append)
    world.end_request()

    (result,) = results
    assert (result.error is ErrorCode.UNKNOWN_SERVER_ERROR) == is_refused
    group = classic_group(world.coordinator, "g")
    assert bool(group.members or group.pending_join_members) != is_refused
