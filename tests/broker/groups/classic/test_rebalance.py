"""Rebalances."""

from __future__ import annotations

from functools import partial

import pytest

from broker.config import Config
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.member_protocol import MemberProtocol
from broker.groups.classic.requests import (
    JoinGroup,
    JoinResult,
    SyncGroup,
    SyncResult,
)
from protocol.errors import ErrorCode
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld


def test_a_member_may_sync_before_the_others_have_their_join_responses() -> None:
    """A pipelined SyncGroup arrives between two responses and finds the group consistent."""
    world = VirtualWorld()
    coordinator = world.coordinator
    results: list[tuple[str, str]] = []

    def on_synced(name: str, result: SyncResult) -> None:
        results.append((name, f"sync {result.error.name} {result.assignment.decode()}"))

    def on_joined(name: str, result: JoinResult) -> None:
        results.append((name, f"join {result.generation_id}"))
        parts = {each.member_id: b"part" for each in result.members}
        sync = SyncGroup(
            group_id="g",
            generation_id=result.generation_id,
            member_id=result.member_id,
            assignments=parts,
        )
        coordinator.sync_group(sync, partial(on_synced, name))
        world.end_request()

    for name in "ab":
        request = JoinGroup(
            group_id="g",
            member_id="",
            client_id=name,
            session_timeout_ms=10_000,
            rebalance_timeout_ms=10_000,
            protocol_type="consumer",
            protocols=(MemberProtocol("p", b""),),
        )
        coordinator.join_group(request, partial(on_joined, name))
        world.end_request()
    world.wait(10_000)

    assert results == [
        ("a", "join 1"),
        ("a", "sync NONE part"),
        ("b", "join 2"),
        ("b", "sync NONE part"),
    ]
    assert coordinator.groups["g"].state_name == "Stable"


def test_a_group_becomes_empty_even_if_the_log_refuses() -> None:
    """The record is appended by a later rebalance."""
    player = ScriptPlayer(VirtualWorld())
    player.play(["enter a", "sync a", "refuse NOT_ENOUGH_REPLICAS", "leave a"])

    assert player.play(["state"]) == ["0 state Empty generation 2 members"]


def test_a_rebalance_leaves_no_operations() -> None:
    """In a stable group only the sessions of members wait."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["enter a", "sync a", "enter b", "join a", "sync b", "sync a a=p0 b=p1"])

    assert (world.rebalances.num_delayed(), world.rebalances.watched()) == (0, 0)
    assert world.heartbeats.num_delayed() == 2


def test_an_expired_join_is_removed_by_the_next_check() -> None:
    """An operation that the timer completed stays in its list, as in Kafka."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(
        ["enter a rebalance=3000", "sync a", "enter b rebalance=3000", "wait 3000", "sync b"]
    )
    assert (world.rebalances.num_delayed(), world.rebalances.watched()) == (0, 1)

    player.play(["enter c", "leave c", "join b", "sync b"])

    assert (world.rebalances.num_delayed(), world.rebalances.watched()) == (0, 0)


def test_absent_static_members_with_a_timeout_of_zero_are_waited_for() -> None:
    """Their join does not end and begin in each step."""
    world = VirtualWorld()
    player = ScriptPlayer(world)
    player.play(["join a instance=i rebalance=0", "sync a a=p0", "enter b rebalance=-1"])
    player.play(["leave b", "wait 1000"])

    assert player.play(["state"]) == ["1000 state PreparingRebalance generation 1 members i-1"]
    assert world.rebalances.timer.next_expiration_ms > world.now_ms()


def test_an_exception_in_a_join_ends_in_error_responses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The group begins a generation when all members have joined again."""
    world = VirtualWorld(Config(group_initial_rebalance_delay_ms=3000))
    results: list[JoinResult] = []

    def join(name: str, member_id: str) -> None:
        request = JoinGroup(
            group_id="g",
            member_id=member_id,
            client_id=name,
            session_timeout_ms=10_000,
            rebalance_timeout_ms=10_000,
            protocol_type="consumer",
            protocols=(MemberProtocol("p", b""),),
        )
        world.coordinator.join_group(request, results.append)
        world.end_request()

    def fail(*_arguments: object) -> None:
        raise ZeroDivisionError

    with monkeypatch.context() as patch:
        patch.setattr(ClassicGroup, "init_next_generation", fail)
        join("a", "")
        join("b", "")
        assert results == []
        world.wait(6000)
    assert [each.error.name for each in results] == ["UNKNOWN_SERVER_ERROR"] * 2
    assert "the join of group 'g' failed" in caplog.text

    members = [each.member_id for each in results]
    results.clear()
    for name, member_id in zip("ab", members, strict=True):
        join(name, member_id)

    assert [(each.error, each.generation_id) for each in results] == [(ErrorCode.NONE, 1)] * 2


def test_each_phase_of_a_rebalance_has_a_limit() -> None:
    """The initial delay can be extended to the rebalance timeout; a stable group has none."""
    world = VirtualWorld(Config(group_initial_rebalance_delay_ms=3000))
    player, limit = ScriptPlayer(world), world.coordinator.rebalance_limit
    assert limit("g") is None

    player.play(["enter a rebalance=20000"])
    assert limit("g") == (20_000, 20_000)
    player.play(["wait 3000"])
    assert limit("g") == (20_000, 23_000)
    player.play(["sync a"])
    assert limit("g") is None
    player.play(["enter b rebalance=30000"])
    assert limit("g") == (30_000, 33_000)
