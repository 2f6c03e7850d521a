"""The transition of a group from one generation to the next.

    prepare ----> wait for members (DelayedJoin) ----> on_complete_join ----> SyncPhase ----> Stable

A change to a generation calls `prepare` again: the response to waiting syncs and to the next
heartbeats is REBALANCE_IN_PROGRESS, and all members have to join again.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any

from broker.common.clock import Clock
from broker.common.errors import ApiError
from broker.config import Config
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_metadata_record import group_metadata_record
from broker.groups.classic.group_state import COMPLETING_REBALANCE, DEAD, EMPTY, PREPARING_REBALANCE
from broker.groups.classic.member import ClassicGroupMember
from broker.groups.classic.requests import UNKNOWN_MEMBER_ID, JoinResult, SyncResult
from broker.groups.classic.responses import Responses
from broker.groups.classic.sessions import Sessions
from broker.groups.classic.sync_phase import SyncPhase
from broker.groups.time_limits import RebalanceLimit
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_join import DelayedJoin, InitialDelayedJoin
from purgatories.purgatory import DelayedOperationPurgatory

log = logging.getLogger("antechamber.groups")

# While no member of a group joins, and all are static, its join ends and begins again. Members may
# have a rebalance timeout of 0, with which that would repeat without a pause.
_ABSENT_MEMBERS_WAIT_MIN_MS = 100


class Rebalancer:
    """Begins and completes rebalances, and removes members (Kafka's join coordinator)."""

    def __init__(
        self,
        config: Config,
        clock: Clock,
        rebalance_purgatory: DelayedOperationPurgatory[Any],
        heartbeat_purgatory: DelayedOperationPurgatory[Any],
        runtime: CoordinatorRuntime,
        actions: ActionQueue,
    ) -> None:
        self.responses = Responses(actions)
        self.sessions = Sessions(heartbeat_purgatory, actions, self)
        self.sync_phase = SyncPhase(
            clock,
            rebalance_purgatory,
            runtime,
            actions,
            self.sessions,
            self.responses,
            self.prepare,
        )
        self._actions = actions
        self._initial_delay_ms = config.group_initial_rebalance_delay_ms
        self._clock = clock
        self._purgatory = rebalance_purgatory
        self._runtime = runtime

    # ------------------------------------------------------------------------------ joining

    def rebalance_or_complete_join(self, group: ClassicGroup, reason: str) -> None:
        """Begin a rebalance, or check whether the join of the present one is complete."""
        if group.can_rebalance:
            self.prepare(group, reason)
        else:
            self._purgatory.check_and_complete(group.join_key)

    def prepare(self, group: ClassicGroup, reason: str) -> None:
        """Begin a rebalance: all members have to join again."""
        if group.state is COMPLETING_REBALANCE:
            self.sync_phase.propagate_error(group, ErrorCode.REBALANCE_IN_PROGRESS)
        is_initial = group.state is EMPTY
        group.transition_to(PREPARING_REBALANCE, self._clock.wall_ms())
        self.sync_phase.end(group)
        log.info("group %s is rebalancing: %s", group.group_id, reason)
        if is_initial:
            self._wait_for_first_members(group)
        else:
            self._wait_for_members(group)

    def _wait_for_members(self, group: ClassicGroup, at_least_ms: int = 0) -> None:
        timeout_ms = max(group.rebalance_timeout_ms, at_least_ms)
        operation = DelayedJoin(self, group, timeout_ms)
        operation.on_error = partial(self._join_failed, group)
        self._purgatory.try_complete_else_watch(operation, (group.join_key,))

    def _wait_for_first_members(self, group: ClassicGroup) -> None:
        """Wait ``group.initial.rebalance.delay.ms`` for more members, and longer if more join."""
        group.new_member_added = False
        delay_ms = self._initial_delay_ms
        remaining_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
        operation = InitialDelayedJoin(
            self, self._purgatory, group, delay_ms, delay_ms, remaining_ms
        )
        operation.on_error = partial(self._join_failed, group)
        if delay_ms == 0:
            try:
                operation.force_complete()
            except Exception as error:
                operation.take_error(error)
        else:
            self._purgatory.try_complete_else_watch(operation, (group.join_key,))

    def limit(self, group: ClassicGroup) -> RebalanceLimit | None:
        """The limit of the present phase; None if no join or sync is being waited for."""
        for join in self._purgatory.waiting_on(group.join_key):
            extension_ms = join.longest_extension_ms
            return RebalanceLimit(
                int(join.delay_ms + extension_ms), int(join.expiration_ms + extension_ms)
            )
        for sync in self._purgatory.waiting_on(group.sync_key):
            return RebalanceLimit(int(sync.delay_ms), sync.expiration_ms)
        return None

    # ----------------------------------------------------------------- called by DelayedJoin

    def try_complete_join(self, group: ClassicGroup, force_complete: Callable[[], bool]) -> bool:
        """Complete if all members have joined."""
        return group.has_all_members_joined and force_complete()

    def on_expire_join(self) -> None:
        """Run the queued actions, because no request ends after a timeout."""
        self._actions.try_complete_actions()

    def on_complete_join(self, group: ClassicGroup) -> None:
        """Remove the members that have not joined, and begin the next generation."""
        self._remove_missing_members(group)
        if group.state is DEAD:
            return
        if group.members and not group.maybe_elect_new_joined_leader():
            # No member has joined and all are static: wait until one joins or their sessions
            # expire.
            self._wait_for_members(group, at_least_ms=_ABSENT_MEMBERS_WAIT_MIN_MS)
            return
        group.init_next_generation(self._clock.wall_ms())
        if group.state is EMPTY:
            log.info("group %s is empty in generation %d", group.group_id, group.generation_id)
            self._append_empty_generation(group)
        else:
            self._begin_generation(group)

    def _join_failed(self, group: ClassicGroup, error: Exception) -> None:
        """Respond to all joins with an error after an exception; the members have to join again."""
        for member in list(group.members.values()):
            refusal = JoinResult(error=ErrorCode.UNKNOWN_SERVER_ERROR, member_id=member.member_id)
            self.responses.join(group, member, refusal)
            self.sessions.reschedule(group, member)
        if group.state is PREPARING_REBALANCE and group.members:
            self._wait_for_members(group)
        self._actions.try_complete_actions()
        self._purgatory.on_error(f"the join of group {group.group_id!r}", error)

    def _append_empty_generation(self, group: ClassicGroup) -> None:
        """Append the record of a group that has become Empty.

        If the log refuses it, the members are loaded by the next coordinator, and expire again.
        """
        try:
            self._runtime.append(group.group_id, [group_metadata_record(group, {})])
        except ApiError as error:
            log.warning(
                "group %s: the record of its empty generation was refused: %s",
                group.group_id,
                error,
            )

    def _remove_missing_members(self, group: ClassicGroup) -> None:
        missing = [
            member.member_id
            for member in group.members.values()
            if member.awaiting_join is None and not member.is_static
        ]
        for member_id in missing:
            group.remove(member_id)
            self.sessions.cancel(group, member_id)

    def _begin_generation(self, group: ClassicGroup) -> None:
        """Respond to all joins, and wait for the SyncGroups."""
        log.info(
            "group %s has %d members in generation %d, led by %s",
            group.group_id,
            len(group.members),
            group.generation_id,
            group.leader_id,
        )
        for member in group.members.values():
            self.responses.join(group, member, join_result_of(group, member))
            member.is_new = False
            self.sessions.reschedule(group, member)
        self.sync_phase.begin(group)

    # ------------------------------------------------------------------------------ leaving

    def remove(self, group: ClassicGroup, member: ClassicGroupMember) -> None:
        """Remove a member and respond to its waiting JoinGroup; the caller rebalances.

        A waiting SyncGroup gets no response, as in Kafka: its client times out.
        """
        refusal = JoinResult(error=ErrorCode.UNKNOWN_MEMBER_ID, member_id=UNKNOWN_MEMBER_ID)
        self.responses.join(group, member, refusal)
        group.remove(member.member_id)
        self.sessions.cancel(group, member.member_id)

    def on_member_expired(self, group: ClassicGroup, member: ClassicGroupMember) -> None:
        """Remove a member whose session has expired (`SessionListener`)."""
        self.remove(group, member)
        if group.state is PREPARING_REBALANCE:
            self._complete_join_without_delay(group)
        else:
            self.prepare(group, f"the session of {member.member_id} has expired")

    def on_pending_member_expired(self, group: ClassicGroup, member_id: str) -> None:
        """Remove a pending member id that has not joined in time (`SessionListener`)."""
        group.remove(member_id)
        self.sessions.cancel(group, member_id)
        if group.state is PREPARING_REBALANCE:
            self._complete_join_without_delay(group)

    def _complete_join_without_delay(self, group: ClassicGroup) -> None:
        """Complete the join if all members have joined, even during the initial delay.

        Kafka 4 does so when a member expires, but not when a member leaves.
        """
        if group.has_all_members_joined:
            self._abandon_join(group)
            self.on_complete_join(group)

    def _abandon_join(self, group: ClassicGroup) -> None:
        """Abandon the waiting join, even if the timer has taken it out already."""
        for operation in self._purgatory.cancel_for_key(group.join_key):
            operation.abandon()

    def refuse_waiting(self, group: ClassicGroup, refusal: ErrorCode) -> None:
        """Respond to every waiting join and sync with *refusal*."""
        for member in group.members.values():
            unjoined = JoinResult(error=refusal, member_id=member.member_id)
            self.responses.join(group, member, unjoined)
            self.responses.sync(member, SyncResult(error=refusal))

    def retire(self, group: ClassicGroup, refusal: ErrorCode) -> None:
        """Make a group Dead; its waiting requests get *refusal*, and its operations end."""
        group.transition_to(DEAD, self._clock.wall_ms())
        self.refuse_waiting(group, refusal)
        for member_id in (*group.members, *group.pending_join_members):
            self.sessions.cancel(group, member_id)
        self._abandon_join(group)
        self.sync_phase.end(group)


def join_result_of(group: ClassicGroup, member: ClassicGroupMember) -> JoinResult:
    """The JoinGroup response of the present generation; only the leader's lists the members."""
    assert group.leader_id is not None
    leads = group.leader_id == member.member_id
    return JoinResult(
        member_id=member.member_id,
        generation_id=group.generation_id,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader_id=group.leader_id,
        members=group.current_members() if leads else (),
    )
