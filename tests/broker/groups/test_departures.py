"""The members that a LeaveGroup request names are checked in slices, and leave in one step."""

from __future__ import annotations

import pytest

from broker.common.errors import ApiError
from broker.groups.classic.requests import LeavingMember
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from tests.broker.groups.consumer_commands import GROUP
from tests.broker.groups.script import ScriptPlayer
from tests.broker.groups.virtual_world import VirtualWorld, classic_group

JOINED = ["join a instance=i1", "enter b", "join a", "sync a a=p0 b=p1", "sync b"]


def _player() -> ScriptPlayer:
    """Members a, which is instance i1, and b of a group that is stable."""
    player = ScriptPlayer(VirtualWorld())
    player.play(JOINED)
    group = classic_group(player.world.coordinator, GROUP)
    assert (group.state_name, len(group.members)) == ("Stable", 2)
    return player


def _leaving(player: ScriptPlayer) -> list[LeavingMember]:
    a, b = (player.members[name].member_id for name in "ab")
    return [
        LeavingMember(member_id="x"),
        LeavingMember(member_id="x", group_instance_id="i1"),
        LeavingMember(member_id=b),
        LeavingMember(member_id=b),
        LeavingMember(member_id="", group_instance_id="i1"),
        LeavingMember(member_id="", group_instance_id="i1"),
        LeavingMember(member_id=a),
        LeavingMember(member_id="x", group_instance_id="i1"),
    ]


def test_the_errors_are_those_of_one_departure_after_the_other() -> None:
    """A member that is named again is unknown, and so is an instance whose member has left."""
    one, other = _player(), _player()
    together = one.world.coordinator.departures.leave_in_slices(GROUP, _leaving(one))
    errors = finish(together)

    assert errors == other.world.coordinator.departures.leave(GROUP, _leaving(other))
    assert [each for each, error in enumerate(errors) if not error] == [2, 4]
    assert errors[1] is ErrorCode.FENCED_INSTANCE_ID
    assert errors[7] is ErrorCode.UNKNOWN_MEMBER_ID


def test_no_member_leaves_before_all_are_checked() -> None:
    """The group rebalances once, and a disconnect of the client changes nothing."""
    player = _player()
    leaving = _leaving(player)
    group = classic_group(player.world.coordinator, GROUP)
    slices = player.world.coordinator.departures.leave_in_slices(GROUP, leaving)
    for _ in leaving:
        next(slices)

    assert (group.state_name, len(group.members)) == ("Stable", 2)
    slices.close()
    assert (group.state_name, len(group.members)) == ("Stable", 2)


def test_a_member_that_leaves_meanwhile_is_unknown() -> None:
    """The members that were found are looked up again."""
    player = _player()
    leaving = _leaving(player)
    slices = player.world.coordinator.departures.leave_in_slices(GROUP, leaving)
    for _ in leaving:
        next(slices)
    player.play(["leave b"])

    errors = finish(slices)

    assert [each for each, error in enumerate(errors) if not error] == [4]
    assert errors[2] is ErrorCode.UNKNOWN_MEMBER_ID


def test_a_request_is_refused_if_the_coordinator_moves_meanwhile() -> None:
    """The next coordinator has all members."""
    player = _player()
    slices = player.world.coordinator.departures.leave_in_slices(GROUP, _leaving(player))
    next(slices)
    player.play(["unload"])

    with pytest.raises(ApiError, match="NOT_COORDINATOR"):
        finish(slices)
