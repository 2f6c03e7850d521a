"""Members leave classic or consumer groups by LeaveGroup.

A request that names many members is checked in slices. Then those that are members leave in one
step, so the group rebalances once. Each member gets the error that it would get if all of them
left one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence

from broker.common.errors import ApiError
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.classic.coordinator import ClassicGroupCoordinator
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.requests import LeavingMember
from broker.groups.consumer.classic_members import ClassicMembers
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.group_states import GroupStates
from broker.groups.share.group import ShareGroup
from broker.groups.streams.group import StreamsGroup
from broker.steps.queue import Slices
from protocol.errors import ErrorCode


class Departures:
    """Removes the members that LeaveGroup requests name."""

    def __init__(
        self,
        runtime: CoordinatorRuntime,
        states: GroupStates,
        classic: ClassicGroupCoordinator,
        classic_members: ClassicMembers,
    ) -> None:
        self._runtime = runtime
        self._states = states
        self._classic = classic
        self._classic_members = classic_members

    def leave(self, group_id: str, leaving: Sequence[LeavingMember]) -> list[ErrorCode]:
        """Remove members; returns an error for each. Raises `ApiError` for the whole request."""
        group = self._group(group_id)
        if group is None:
            return [ErrorCode.UNKNOWN_MEMBER_ID] * len(leaving)
        if isinstance(group, ClassicGroup):
            return self._classic.leave(group, leaving)
        return self._classic_members.leave(group, leaving)

    def leave_in_slices(
        self, group_id: str, leaving: Sequence[LeavingMember]
    ) -> Slices[list[ErrorCode]]:
        """As `leave`; a client that disconnects before all are checked removes none of them."""
        errors: list[ErrorCode] = []
        found: dict[int, LeavingMember] = {}
        leavers: set[str] = set()
        for index, each in enumerate(leaving):
            errors.append(self._check(group_id, each, leavers))
            if len(leavers) > len(found):
                found[index] = each
            yield None
        left = self.leave(group_id, list(found.values()))
        for index, error in zip(found, left, strict=True):
            errors[index] = error
        return errors

    def _check(self, group_id: str, leaving: LeavingMember, leavers: set[str]) -> ErrorCode:
        """The error of a member after *leavers* have left; adds the id of one that may leave."""
        group = self._group(group_id)
        if group is None:
            return ErrorCode.UNKNOWN_MEMBER_ID
        if isinstance(group, ClassicGroup):
            return self._classic.check_leave(group, leaving, leavers)
        return self._classic_members.check_leave(group, leaving, leavers)

    def _group(self, group_id: str) -> ClassicGroup | ConsumerGroup | None:
        """The group if LeaveGroup can find members in it; raises `ApiError`."""
        if not group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID)
        self._runtime.check(group_id)
        group = self._states.groups.get(group_id)
        return None if isinstance(group, ShareGroup | StreamsGroup) else group
