"""Handles the requests of members of classic groups; checks are in the order of Kafka's.

The part of Kafka's ``GroupMetadataManager`` for classic groups.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.config import Config
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import COMPLETING_REBALANCE, DEAD, EMPTY, PREPARING_REBALANCE
from broker.groups.classic.joining import Joining
from broker.groups.classic.rebalance import Rebalancer
from broker.groups.classic.requests import (
    UNKNOWN_MEMBER_ID,
    JoinCallback,
    JoinGroup,
    LeavingMember,
    SyncCallback,
    SyncGroup,
)
from broker.groups.classic.sync_phase import sync_result_of
from broker.groups.time_limits import MemberTimeout, RebalanceLimit
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.purgatory import DelayedOperationPurgatory


class ClassicGroupCoordinator:
    """Coordinates classic groups. Responses to waiting requests go to their callbacks."""

    def __init__(
        self,
        config: Config,
        clock: Clock,
        runtime: CoordinatorRuntime,
        actions: ActionQueue,
        rebalance_purgatory: DelayedOperationPurgatory[Any],
        heartbeat_purgatory: DelayedOperationPurgatory[Any],
    ) -> None:
        self._rebalancer = Rebalancer(
            config, clock, rebalance_purgatory, heartbeat_purgatory, runtime, actions
        )
        self._joining = Joining(config, self._rebalancer, runtime)
        self._size_max = config.group_max_size

    # ------------------------------------------------------------------------ join and sync

    def join(self, group: ClassicGroup, request: JoinGroup, on_response: JoinCallback) -> None:
        """Handle a JoinGroup; *on_response* is called once, now or later."""
        self._joining.join(group, request, on_response)

    def sync(self, group: ClassicGroup, request: SyncGroup, on_response: SyncCallback) -> None:
        """Handle a SyncGroup; *on_response* is called once, now or later.

        Raises `ApiError` instead if the member, the generation or the protocol is wrong.
        """
        member = group.check_member(request.member_id, request.group_instance_id)
        _check_generation(group, request.generation_id)
        _check_protocol(group, request)
        if group.state is PREPARING_REBALANCE:
            raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
        if group.state is COMPLETING_REBALANCE:
            member.awaiting_sync = on_response
            self._rebalancer.sync_phase.on_member_synced(group, member.member_id)
            if group.leader_id == member.member_id:
                self._rebalancer.sync_phase.store_assignment(group, request.assignments)
        else:
            self._rebalancer.sync_phase.on_member_synced(group, member.member_id)
            on_response(sync_result_of(group, member))

    # ------------------------------------------------------------------ heartbeat and leave

    def heartbeat(
        self,
        group: ClassicGroup,
        member_id: str,
        group_instance_id: str | None,
        generation_id: int,
    ) -> ErrorCode:
        """Handle a Heartbeat; REBALANCE_IN_PROGRESS if the member must join again.

        Raises `ApiError` if the member or its generation is unknown.
        """
        member = group.check_member(member_id, group_instance_id)
        _check_generation(group, generation_id)
        self._rebalancer.sessions.reschedule(group, member)
        if group.state is PREPARING_REBALANCE:
            return ErrorCode.REBALANCE_IN_PROGRESS
        return ErrorCode.NONE

    def reschedule_heartbeat(self, group: ClassicGroup, member_id: str) -> None:
        """Restart a member's session after an offset commit, except in CompletingRebalance."""
        member = group.members.get(member_id)
        if member is not None and group.state is not COMPLETING_REBALANCE:
            self._rebalancer.sessions.reschedule(group, member)

    def leave(self, group: ClassicGroup, leaving: Sequence[LeavingMember]) -> list[ErrorCode]:
        """Remove members; returns an error for each."""
        errors = [self._leave(group, each) for each in leaving]
        if ErrorCode.NONE in errors and group.state is not EMPTY:
            reasons = "; ".join(each.reason or "not provided" for each in leaving)
            self._rebalancer.rebalance_or_complete_join(
                group, f"{errors.count(ErrorCode.NONE)} member(s) left; client reasons: {reasons}"
            )
        return errors

    def _leave(self, group: ClassicGroup, leaving: LeavingMember) -> ErrorCode:
        try:
            member_id = _leaving_id(group, leaving)
        except ApiError as error:
            return error.code
        if member_id in group.pending_join_members:
            group.remove(member_id)
            self._rebalancer.sessions.cancel(group, member_id)
        else:
            self._rebalancer.remove(group, group.members[member_id])
        return ErrorCode.NONE

    def check_leave(
        self, group: ClassicGroup, leaving: LeavingMember, leavers: set[str]
    ) -> ErrorCode:
        """The error of a member after *leavers* have left; adds the id of one that may leave."""
        try:
            member_id = _leaving_id(group, leaving)
        except ApiError as error:
            owner = group.static_members.get(leaving.group_instance_id or "")
            return ErrorCode.UNKNOWN_MEMBER_ID if owner in leavers else error.code
        if member_id in leavers:
            return ErrorCode.UNKNOWN_MEMBER_ID
        leavers.add(member_id)
        return ErrorCode.NONE

    # ----------------------------------------------------------------------- start and retire

    def start(self, group: ClassicGroup, rebalance_because: str | None) -> None:
        """Begin the sessions of a group that was loaded or converted; rebalance it for a reason."""
        for member in group.members.values():
            self._rebalancer.sessions.reschedule(group, member)
        if len(group.members) > self._size_max:
            rebalance_because = rebalance_because or "the group exceeds group.max.size"
        if rebalance_because is not None and group.can_rebalance:
            self._rebalancer.prepare(group, rebalance_because)

    def rebalance_limit(self, group: ClassicGroup) -> RebalanceLimit | None:
        """See `Rebalancer.limit`."""
        return self._rebalancer.limit(group)

    def timeouts(self) -> Iterator[MemberTimeout]:
        """See `Sessions.timeouts`."""
        return self._rebalancer.sessions.timeouts()

    def refuse_waiting(self, group: ClassicGroup, refusal: ErrorCode) -> None:
        """Complete every waiting join and sync of a group, which stays as it is, with *refusal*."""
        self._rebalancer.refuse_waiting(group, refusal)

    def retire(self, group: ClassicGroup, refusal: ErrorCode) -> None:
        """End a group that is deleted, converted or unloaded; waiting requests get *refusal*."""
        if group.state is not DEAD:
            self._rebalancer.retire(group, refusal)


def _leaving_id(group: ClassicGroup, leaving: LeavingMember) -> str:
    """The id of the member, or the pending id, that leaves; raises `ApiError`."""
    member_id = leaving.member_id
    if member_id in group.pending_join_members:
        return member_id
    if member_id == UNKNOWN_MEMBER_ID:
        # Administrators give the instance id alone (KIP-345).
        member_id = group.static_members.get(leaving.group_instance_id or "", member_id)
    return group.check_member(member_id, leaving.group_instance_id).member_id


def _check_generation(group: ClassicGroup, generation_id: int) -> None:
    if generation_id != group.generation_id:
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)


def _check_protocol(group: ClassicGroup, request: SyncGroup) -> None:
    """The protocol type and name of the request must be the group's, if given (KIP-559)."""
    for named, chosen in (
        (request.protocol_type, group.protocol_type),
        (request.protocol_name, group.protocol_name),
    ):
        if named is not None and named != chosen:
            raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
