"""Handles StreamsGroupHeartbeat (KIP-1071; ``GroupMetadataManager.streamsGroupHeartbeat``).

A heartbeat changes a draft of its group. When the draft's records are appended, the draft replaces
the group, and the timeouts of the members are changed.
"""

from __future__ import annotations

import logging
from collections.abc import Callable

from broker.common.errors import ApiError
from broker.config.groups import STREAMS_HEARTBEAT_INTERVAL
from broker.groups.classic.group import ClassicGroup
from broker.groups.epochs import next_epoch
from broker.groups.group_parts import GroupParts
from broker.groups.group_states import AnyGroup
from broker.groups.streams.admission import draft_for
from broker.groups.streams.creation_errors import CreationErrors
from broker.groups.streams.current_assignment import MemberState
from broker.groups.streams.draft import StreamsDraft
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.heartbeat import HeartbeatPreparation, PreparedHeartbeat
from broker.groups.streams.requests import StreamsGroupHeartbeat, StreamsGroupHeartbeatResult
from broker.groups.streams.timeouts import StreamsTimeouts
from broker.groups.streams.validation import check_heartbeat
from broker.groups.streams.workload import is_long
from protocol.errors import ErrorCode

log = logging.getLogger("antechamber.groups")


class StreamsGroupCoordinator:
    """The streams groups of a node.

    *retire_classic* ends a classic group without members that a streams group replaces.
    """

    def __init__(self, parts: GroupParts, retire_classic: Callable[[ClassicGroup], None]) -> None:
        self.creation_errors = CreationErrors(parts.clock.now_ms)
        self._retire_classic = retire_classic
        self._runtime = parts.runtime
        self._states = parts.states
        self._configs = parts.configs
        self._topics = parts.topics
        self._timeouts = StreamsTimeouts(
            parts.timer, parts.configs, self._expire, self._is_in_epoch
        )
        self._preparation = HeartbeatPreparation(parts, self._timeouts)

    # ---------------------------------------------------------------------------- heartbeat

    def heartbeat(self, request: StreamsGroupHeartbeat) -> StreamsGroupHeartbeatResult:
        """Process a heartbeat; raises `ApiError`."""
        self.check(request)
        if request.is_leaving:
            return self._leave(request)
        return self.apply(self.prepare(self._states.groups.get(request.group_id), request))

    def check(self, request: StreamsGroupHeartbeat) -> None:
        """Raise `ApiError` if the request is invalid or this node does not coordinate the group."""
        check_heartbeat(request)
        self._runtime.check(request.group_id)

    def prepare(
        self, present: AnyGroup | None, request: StreamsGroupHeartbeat
    ) -> PreparedHeartbeat:
        """Compute the changes by a heartbeat; *present* is unchanged. Raises `ApiError`.

        It may run in a thread.
        """
        return self._preparation.prepare(draft_for(present, request), request)

    def is_long(self, request: StreamsGroupHeartbeat) -> bool:
        """Whether a heartbeat may take longer than a slice."""
        group = self._states.groups.get(request.group_id)
        return not request.is_leaving and is_long(group, request.topology, self._topics)

    def apply(self, prepared: PreparedHeartbeat) -> StreamsGroupHeartbeatResult:
        """Append and apply a prepared change; raises `ApiError`."""
        if prepared.error is not None:
            self._keep_unrecorded(prepared)
            raise prepared.error
        draft, before, member = prepared.draft, prepared.before, prepared.member
        group_id = draft.group_id
        endpoint_epoch = 0  # of a new group: as in Kafka, which changes it in another object
        if group_id in self._states.groups:
            endpoint_epoch = draft.group.endpoint_information_epoch
        self._finish(draft)
        self._timeouts.reschedule_session(group_id, member.member_id)
        if member.current != before.current:
            self._timeouts.update_rebalance_timeout(group_id, member)
        self._begin_delay(prepared)
        return StreamsGroupHeartbeatResult(
            member_id=member.member_id,
            member_epoch=member.member_epoch,
            heartbeat_interval_ms=self._configs.number(group_id, STREAMS_HEARTBEAT_INTERVAL),
            statuses=prepared.statuses,
            assigned=member.current.assigned if prepared.has_assignment else None,
            endpoint_information_epoch=endpoint_epoch,
            endpoints=prepared.endpoints,
            missing_topics=prepared.missing_topics,
        )

    def _keep_unrecorded(self, prepared: PreparedHeartbeat) -> None:
        """Keep what a heartbeat that fails has changed without records."""
        group_id, member_id = prepared.draft.group_id, prepared.member.member_id
        group = self._streams_group(group_id)
        if group is not None:
            self._finish(prepared.draft.without_records(group))
            if member_id in group.members:
                self._timeouts.reschedule_session(group_id, member_id)
        self._begin_delay(prepared)

    def _begin_delay(self, prepared: PreparedHeartbeat) -> None:
        group_id = prepared.draft.group_id
        if prepared.begins_delay:
            self._timeouts.begin_initial_delay(group_id, lambda: self._assign_delayed(group_id))

    def _finish(self, draft: StreamsDraft) -> None:
        """Append the records of a draft, and use its group; raises `ApiError`."""
        if draft.records:
            self._runtime.append(draft.group_id, draft.to_append)
        elif not draft.is_touched:
            return
        before = self._states.groups.get(draft.group_id)
        if not isinstance(before, StreamsGroup):
            draft.group.forget_unrecorded()
        if isinstance(before, ClassicGroup):
            self._retire_classic(before)
        self._states.put(draft.group)

    def _assign_delayed(self, group_id: str) -> None:
        """Assign the tasks of a group whose initial delay has passed.

        A group that was created by the last heartbeat is assigned by the next one, as in Kafka: its
        topology is not configured yet. So is a large one, because a heartbeat can be prepared in a
        worker thread. Members get their tasks by a heartbeat in any case.
        """
        group = self._streams_group(group_id)
        if (
            group is None
            or group.is_empty
            or group.configured is None
            or is_long(group, None, self._topics)
        ):
            return
        draft = StreamsDraft(group)
        self._preparation.targets.update(draft, group.configured)
        try:
            self._finish(draft)
        except ApiError as error:
            log.warning("group %s: its tasks are assigned later: %s", group_id, error)

    # ---------------------------------------------------------------------------- departures

    def _leave(self, request: StreamsGroupHeartbeat) -> StreamsGroupHeartbeatResult:
        if request.shutdown_application:  # as in Kafka, also of an unknown member
            draft = StreamsDraft(self.group(request.group_id))
            draft.request_shutdown(request.member_id)
            self._finish(draft)
        group = self.group(request.group_id)
        self._remove(StreamsDraft(group), group.member(request.member_id).member_id)
        return StreamsGroupHeartbeatResult(
            member_id=request.member_id, member_epoch=request.member_epoch
        )

    def _remove(self, draft: StreamsDraft, member_id: str) -> None:
        """Remove a member; raises `ApiError` if the log refuses."""
        group = draft.group
        draft.remove(member_id)
        draft.write_epoch(
            next_epoch(group.epoch),
            group.metadata_hash,
            group.validated_topology_epoch,
            group.assignment_configs,
        )
        self._finish(draft)
        self._timeouts.cancel_all(group.group_id, member_id)

    def _expire(self, group_id: str, member_id: str, why: str) -> None:
        """Remove a member because of a timeout."""
        group = self._streams_group(group_id)
        if group is None or member_id not in group.members:
            return
        log.info("group %s: %s is removed: %s", group_id, member_id, why)
        try:
            self._remove(StreamsDraft(group), member_id)
        except ApiError as error:
            log.warning("group %s: the removal of %s is retried: %s", group_id, member_id, error)
            self._timeouts.retry_expiration(group_id, member_id, why)

    def _is_in_epoch(self, group_id: str, member_id: str, epoch: int) -> bool:
        group = self._streams_group(group_id)
        member = None if group is None else group.members.get(member_id)
        return member is not None and member.member_epoch == epoch

    # -------------------------------------------------------------------------------- groups

    def group(self, group_id: str) -> StreamsGroup:
        """Return the streams group; raises `ApiError` if there is none."""
        group = self._states.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        if not isinstance(group, StreamsGroup):
            raise ApiError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a streams group."
            )
        return group

    def _streams_group(self, group_id: str) -> StreamsGroup | None:
        group = self._states.groups.get(group_id)
        return group if isinstance(group, StreamsGroup) else None

    def on_loaded(self, group: StreamsGroup) -> None:
        """Begin the sessions and rebalance timeouts of a group that was loaded."""
        for member in group.members.values():
            self._timeouts.reschedule_session(group.group_id, member.member_id)
            if member.current.state is MemberState.UNREVOKED_TASKS:
                self._timeouts.update_rebalance_timeout(group.group_id, member)

    def retire(self, group: StreamsGroup) -> None:
        """Cancel the timeouts of a group that is deleted, replaced or unloaded."""
        self._timeouts.cancel_initial_delay(group.group_id)
        for member_id in group.members:
            self._timeouts.cancel_all(group.group_id, member_id)
