"""The front door of the groups: validates what members ask and hands it on.

Errors are found in the order in which Kafka's ``GroupCoordinatorService`` and
``GroupMetadataManager`` find them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from broker.clock import Clock
from broker.config import Config
from broker.errors import ApiError
from broker.groups.classic_group import ClassicGroup
from broker.groups.group_state import COMPLETING_REBALANCE, DEAD, EMPTY, PREPARING_REBALANCE
from broker.groups.joining import Joining
from broker.groups.offset_metadata_manager import OffsetMetadataManager
from broker.groups.offset_store import InMemoryOffsetStore, OffsetStore
from broker.groups.rebalance import Rebalancer
from broker.groups.requests import (
    UNKNOWN_MEMBER_ID,
    JoinCallback,
    JoinGroup,
    JoinResult,
    LeavingMember,
    SyncCallback,
    SyncGroup,
    SyncResult,
)
from broker.groups.sync_phase import assignment_of
from protocol.errors import ErrorCode
from purgatories.purgatory import DelayedOperationPurgatory


class GroupCoordinator:
    """The groups of a node. Parked requests are answered through their callbacks."""

    def __init__(
        self,
        config: Config,
        clock: Clock,
        rebalance_purgatory: DelayedOperationPurgatory[Any],
        heartbeat_purgatory: DelayedOperationPurgatory[Any],
        store: OffsetStore | None = None,
    ) -> None:
        store = InMemoryOffsetStore() if store is None else store
        self.groups: dict[str, ClassicGroup] = {}
        self._config = config
        self._clock = clock
        self._rebalancer = Rebalancer(
            config, clock, rebalance_purgatory, heartbeat_purgatory, store
        )
        self._joining = Joining(config, self._rebalancer, store)
        self.offsets = OffsetMetadataManager(config, clock, self, store)

    # ------------------------------------------------------------------------ join and sync

    def join_group(self, request: JoinGroup, on_response: JoinCallback) -> None:
        """Join the next generation; *on_response* is called once, now or later."""
        refusal = self._refuse_join(request)
        if refusal is not None:
            on_response(JoinResult(error=refusal, member_id=request.member_id))
            return
        group = self.groups.get(request.group_id)
        if group is None:
            if request.member_id != UNKNOWN_MEMBER_ID:
                refusal = ErrorCode.UNKNOWN_MEMBER_ID
                on_response(JoinResult(error=refusal, member_id=request.member_id))
                return
            group = self.create_group(request.group_id)
        self._joining.join(group, request, on_response)
        self._rebalancer.answers.send()

    def _refuse_join(self, request: JoinGroup) -> ErrorCode | None:
        if not request.group_id:
            return ErrorCode.INVALID_GROUP_ID
        shortest = self._config.group_min_session_timeout_ms
        longest = self._config.group_max_session_timeout_ms
        if not shortest <= request.session_timeout_ms <= longest:
            return ErrorCode.INVALID_SESSION_TIMEOUT
        return None

    def sync_group(self, request: SyncGroup, on_response: SyncCallback) -> None:
        """Bring or fetch the assignment; *on_response* is called once, now or later."""
        try:
            group = self._group_of_member(request.group_id)
            member = group.check_member(request.member_id, request.group_instance_id)
            _check_generation(group, request.generation_id)
            _check_protocol(group, request)
            if group.state is PREPARING_REBALANCE:
                raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
        except ApiError as error:
            on_response(SyncResult(error=error.code))
            return
        if group.state is COMPLETING_REBALANCE:
            member.awaiting_sync = on_response
            self._rebalancer.sync_phase.on_member_synced(group, member.member_id)
            if group.leader_id == member.member_id:
                self._rebalancer.sync_phase.store_assignment(group, request.assignments)
        else:
            self._rebalancer.sync_phase.on_member_synced(group, member.member_id)
            on_response(assignment_of(group, member))
        self._rebalancer.answers.send()

    # ------------------------------------------------------------------ heartbeat and leave

    def heartbeat(
        self, group_id: str, member_id: str, group_instance_id: str | None, generation_id: int
    ) -> ErrorCode:
        """A sign of life; answered with REBALANCE_IN_PROGRESS when it is time to join again."""
        try:
            group = self._group_of_member(group_id)
            member = group.check_member(member_id, group_instance_id)
            _check_generation(group, generation_id)
        except ApiError as error:
            return error.code
        self._rebalancer.sessions.heard_of(group, member)
        if group.state is PREPARING_REBALANCE:
            return ErrorCode.REBALANCE_IN_PROGRESS
        return ErrorCode.NONE

    def leave_group(self, group_id: str, leaving: Sequence[LeavingMember]) -> list[ErrorCode]:
        """Take members out, each with its own error; raises `ApiError` for the whole group."""
        if not group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID)
        group = self.groups.get(group_id)
        if group is None:
            return [ErrorCode.UNKNOWN_MEMBER_ID] * len(leaving)
        if group.state is DEAD:
            raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        errors = [self._leave(group, each) for each in leaving]
        if ErrorCode.NONE in errors and group.state is not EMPTY:
            reasons = "; ".join(each.reason or "not provided" for each in leaving)
            self._rebalancer.rebalance_or_complete_join(
                group, f"{errors.count(ErrorCode.NONE)} member(s) left; client reasons: {reasons}"
            )
        self._rebalancer.answers.send()
        return errors

    def _leave(self, group: ClassicGroup, leaving: LeavingMember) -> ErrorCode:
        member_id = leaving.member_id
        if member_id in group.pending_join_members:
            group.remove(member_id)
            self._rebalancer.sessions.forget(group, member_id)
            return ErrorCode.NONE
        if member_id == UNKNOWN_MEMBER_ID:
            # An operator names an instance without knowing its present member id (KIP-345).
            member_id = group.static_members.get(leaving.group_instance_id or "", member_id)
        try:
            member = group.check_member(member_id, leaving.group_instance_id)
        except ApiError as error:
            return error.code
        self._rebalancer.remove(group, member)
        return ErrorCode.NONE

    # ------------------------------------------------------------------------------- groups

    def create_group(self, group_id: str) -> ClassicGroup:
        """A new, empty group."""
        assert group_id not in self.groups
        group = self.groups[group_id] = ClassicGroup(group_id, self._clock.wall_ms())
        return group

    def unload(self) -> None:
        """Give up all groups, as when the coordinator moves to another node.

        Everybody who waits is sent to look for the coordinator again.
        """
        for group in self.groups.values():
            self._rebalancer.unload(group)
        self.groups.clear()
        self._rebalancer.answers.send()

    def heard_of(self, group: ClassicGroup, member_id: str) -> None:
        """Begin a member's session anew: an offset commit is a sign of life too."""
        self._rebalancer.sessions.heard_of(group, group.members[member_id])

    def _group_of_member(self, group_id: str) -> ClassicGroup:
        if not group_id:
            raise ApiError(ErrorCode.INVALID_GROUP_ID)
        group = self.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
        if group.state is DEAD:
            raise ApiError(ErrorCode.COORDINATOR_NOT_AVAILABLE)
        return group


def _check_generation(group: ClassicGroup, generation_id: int) -> None:
    if generation_id != group.generation_id:
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)


def _check_protocol(group: ClassicGroup, request: SyncGroup) -> None:
    """What a member says of type and name must be what the group has chosen (KIP-559)."""
    for named, chosen in (
        (request.protocol_type, group.protocol_type),
        (request.protocol_name, group.protocol_name),
    ):
        if named is not None and named != chosen:
            raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
