"""The second half of a rebalance: from the JoinGroup responses to the assignment.

The SyncGroups of members wait. The leader's contains the assignment, which is appended; when it is
replicated, all responses are sent. A `DelayedSync` waits for all SyncGroups: members that have not
sent theirs at the rebalance timeout are removed, and the others rebalance.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from broker.common.clock import Clock
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_metadata_record import group_metadata_record
from broker.groups.classic.group_state import COMPLETING_REBALANCE, STABLE
from broker.groups.classic.member import ClassicGroupMember
from broker.groups.classic.requests import SyncResult
from broker.groups.classic.responses import Responses
from broker.groups.classic.sessions import Sessions
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_sync import DelayedSync
from purgatories.purgatory import DelayedOperationPurgatory

Rebalance = Callable[[ClassicGroup, str], None]


class SyncPhase:
    """Waits for SyncGroups and appends assignments (Kafka's sync coordinator)."""

    def __init__(
        self,
        clock: Clock,
        purgatory: DelayedOperationPurgatory[Any],
        runtime: CoordinatorRuntime,
        actions: ActionQueue,
        sessions: Sessions,
        responses: Responses,
        rebalance: Rebalance,
    ) -> None:
        self._actions = actions
        self._clock = clock
        self._purgatory = purgatory
        self._runtime = runtime
        self._sessions = sessions
        self._responses = responses
        self._rebalance = rebalance

    def begin(self, group: ClassicGroup) -> None:
        """Wait for the SyncGroups of all members of the new generation."""
        group.pending_sync_members.update(group.members)
        operation = DelayedSync(self, group, group.generation_id, group.rebalance_timeout_ms)
        self._purgatory.try_complete_else_watch(operation, (group.sync_key,))

    def end(self, group: ClassicGroup) -> None:
        """Stop waiting for SyncGroups, because a rebalance begins or the group is Dead."""
        assert group.state not in (COMPLETING_REBALANCE, STABLE)
        group.pending_sync_members.clear()
        self._purgatory.check_and_complete(group.sync_key)

    def on_member_synced(self, group: ClassicGroup, member_id: str) -> None:
        """Note the SyncGroup of a member; after the last one the wait ends."""
        group.pending_sync_members.discard(member_id)
        if group.has_received_sync_from_all_members:
            self._purgatory.check_and_complete(group.sync_key)

    def store_assignment(self, group: ClassicGroup, assignments: Mapping[str, bytes]) -> None:
        """Append the leader's *assignments*, then respond to all SyncGroups."""
        complete = {member_id: assignments.get(member_id, b"") for member_id in group.members}
        on_stored = partial(self._on_stored, group, group.generation_id, complete)
        self._runtime.write(group.group_id, [group_metadata_record(group, complete)], on_stored)

    def _on_stored(
        self,
        group: ClassicGroup,
        generation_id: int,
        assignments: Mapping[str, bytes],
        error: ErrorCode,
    ) -> None:
        # Another rebalance may have begun while the record was being replicated.
        if group.state is COMPLETING_REBALANCE and group.generation_id == generation_id:
            if error:
                self.propagate_error(group, error)
                self._rebalance(group, f"the assignment could not be stored: {error.name}")
            else:
                group.transition_to(STABLE, self._clock.wall_ms())
                self._propagate(group, assignments)

    def _propagate(self, group: ClassicGroup, assignments: Mapping[str, bytes]) -> None:
        for member in group.members.values():
            member.assignment = assignments.get(member.member_id, b"")
            self._respond(group, member, sync_result_of(group, member))

    def propagate_error(self, group: ClassicGroup, error: ErrorCode) -> None:
        """Drop the assignments and respond to all waiting SyncGroups with *error*."""
        assert group.state is COMPLETING_REBALANCE
        for member in group.members.values():
            member.assignment = b""
            self._respond(group, member, SyncResult(error=error))

    def _respond(self, group: ClassicGroup, member: ClassicGroupMember, result: SyncResult) -> None:
        """Respond to a waiting SyncGroup; from now on the member must heartbeat again."""
        if self._responses.sync(member, result):
            self._sessions.reschedule(group, member)

    # ----------------------------------------------------------------- called by DelayedSync

    def try_complete_pending_sync(
        self, group: ClassicGroup, generation_id: int, force_complete: Callable[[], bool]
    ) -> bool:
        """Complete if all SyncGroups have arrived, or if the generation has ended."""
        return not _is_waiting(group, generation_id) and force_complete()

    def on_expire_pending_sync(self, group: ClassicGroup, generation_id: int) -> None:
        """Remove the members that have not sent their SyncGroup, and rebalance."""
        if not _is_waiting(group, generation_id):
            return
        late = list(group.pending_sync_members)
        try:
            for member_id in late:
                group.remove(member_id)
                self._sessions.cancel(group, member_id)
            self._rebalance(group, f"{len(late)} member(s) did not sync in time")
        finally:
            self._actions.try_complete_actions()


def sync_result_of(group: ClassicGroup, member: ClassicGroupMember) -> SyncResult:
    """The SyncGroup response of *member* in the present generation."""
    return SyncResult(
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        assignment=member.assignment,
    )


def _is_waiting(group: ClassicGroup, generation_id: int) -> bool:
    return (
        generation_id == group.generation_id
        and group.state in (COMPLETING_REBALANCE, STABLE)
        and not group.has_received_sync_from_all_members
    )
