"""Handles ShareGroupHeartbeat (KIP-932; ``GroupMetadataManager.shareGroupHeartbeat``)."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from broker.common.errors import ApiError
from broker.config.groups import (
    SHARE_ASSIGNMENT_INTERVAL,
    SHARE_HEARTBEAT_INTERVAL,
    SHARE_SESSION_TIMEOUT,
)
from broker.groups.epochs import next_epoch
from broker.groups.group_parts import GroupParts
from broker.groups.group_states import AnyGroup
from broker.groups.member_timers import MemberTimers
from broker.groups.share.assignor import assign
from broker.groups.share.draft import ShareDraft
from broker.groups.share.group import ShareGroup
from broker.groups.share.initialization import Initialization
from broker.groups.share.member import Partitions, ShareGroupMember
from broker.groups.share.offsets import FindEndOffset, ShareGroupOffsets
from broker.groups.share.requests import (
    JOINING_EPOCH,
    LEAVING_EPOCH,
    ShareGroupHeartbeat,
    ShareGroupHeartbeatResult,
)
from broker.groups.share.state_partitions import StatePartitions, Topics
from broker.share.persister import Persister
from protocol.errors import ErrorCode

log = logging.getLogger("antechamber.groups")


class _Assigned(NamedTuple):
    """A state of a group in which its target assignment has all initialized partitions."""

    state_partitions: StatePartitions
    assignment_epoch: int
    metadata_hash: int


class PreparedShareHeartbeat(NamedTuple):
    """The changes by a heartbeat to its group, as a draft, and its member after them.

    ``beginning`` are the partitions to initialize. ``has_assignment``: the response contains the
    assignment.
    """

    draft: ShareDraft
    member: ShareGroupMember
    beginning: Topics
    has_assignment: bool


class ShareGroupCoordinator:
    """The share groups of a node; ``persister`` returns what calls the share coordinator.

    *find_end* finds the end offsets of partitions.
    """

    def __init__(
        self, parts: GroupParts, persister: Callable[[], Persister], find_end: FindEndOffset
    ) -> None:
        self.topics = parts.topics
        self._config = parts.config
        self._wall_ms = parts.clock.wall_ms
        self._runtime = parts.runtime
        self._states = parts.states
        self._timers = MemberTimers(parts.timer, self._expire)
        self._configs = parts.configs
        # By group, so that a heartbeat that changes nothing does not compare them again.
        self._assigned: dict[str, _Assigned] = {}
        self.initialization = Initialization(parts, persister, self.finish)
        self.offsets = ShareGroupOffsets(parts, persister, find_end, self.finish)

    # ---------------------------------------------------------------------------- heartbeat

    def heartbeat(self, request: ShareGroupHeartbeat) -> ShareGroupHeartbeatResult:
        """Process a heartbeat; raises `ApiError`."""
        self.check(request)
        if request.member_epoch == LEAVING_EPOCH:
            return self._leave(request)
        return self.apply(self.prepare(self._states.groups.get(request.group_id), request))

    def check(self, request: ShareGroupHeartbeat) -> None:
        """Raise `ApiError` if the request is invalid or this node does not coordinate the group."""
        request.check()
        self._runtime.check(request.group_id)

    def prepare(
        self, present: AnyGroup | None, request: ShareGroupHeartbeat
    ) -> PreparedShareHeartbeat:
        """Compute the changes by a heartbeat; *present* is unchanged. Raises `ApiError`.

        It may run in a thread.
        """
        draft = ShareDraft(_group_to_join(present, request))
        before = self._admit(draft.group, request)
        after = _with_changes(before, request)
        is_new = before.member_id not in draft.group.members
        if is_new or after != before:
            draft.write_metadata(after)
        is_subscription_new = after.subscribed_topic_names != before.subscribed_topic_names
        self._update_epoch(draft, bump=is_new or is_subscription_new)
        self._update_target(draft)
        member = self._reconcile(draft, after.member_id)
        beginning = self.initialization.begin(draft)
        is_full = (
            request.member_epoch == JOINING_EPOCH or request.subscribed_topic_names is not None
        )
        has_assignment = is_full or member.assigned != before.assigned
        return PreparedShareHeartbeat(draft, member, beginning, has_assignment)

    def apply(self, prepared: PreparedShareHeartbeat) -> ShareGroupHeartbeatResult:
        """Append and apply a prepared change; raises `ApiError`."""
        draft, member, beginning, has_assignment = prepared
        group_id = draft.group_id
        self.finish(draft)
        self._reschedule_session(group_id, member.member_id)
        if beginning:
            self.initialization.initialize(draft.group, beginning)
        return ShareGroupHeartbeatResult(
            member_id=member.member_id,
            member_epoch=member.member_epoch,
            heartbeat_interval_ms=self._configs.number(group_id, SHARE_HEARTBEAT_INTERVAL),
            assigned=member.assigned if has_assignment else None,
        )

    def _admit(self, group: ShareGroup, request: ShareGroupHeartbeat) -> ShareGroupMember:
        """The member as it is before the request; raises `ApiError`."""
        size_max = self._config.group_share_max_size
        if request.member_epoch == JOINING_EPOCH:
            if request.member_id not in group.members and len(group.members) >= size_max:
                raise ApiError(
                    ErrorCode.GROUP_MAX_SIZE_REACHED,
                    f"The share group has reached its maximum capacity of {size_max} members.",
                )
            return group.members.get(request.member_id) or ShareGroupMember(
                member_id=request.member_id
            )
        member = group.member(request.member_id)
        _check_epoch(member, request.member_epoch)
        return member

    def _update_epoch(self, draft: ShareDraft, *, bump: bool) -> None:
        """Increase the group epoch if members or topics have changed, or partitions wait."""
        group = draft.group
        metadata_hash = self.topics.hash_of(group.subscribed_topics())
        if not bump and group.assignment_epoch >= group.epoch:
            bump = self._is_assignment_pending(group)
        if bump or metadata_hash != group.metadata_hash:
            draft.write_epoch(next_epoch(group.epoch), metadata_hash)

    def _is_assignment_pending(self, group: ShareGroup) -> bool:
        """Whether a partition has been initialized since the last target assignment.

        Targets change with the epoch of the assignment, and topics with the hash of the metadata.
        """
        known = self._assigned.get(group.group_id)
        if (
            known is not None
            and known.state_partitions is group.state_partitions
            and known.assignment_epoch == group.assignment_epoch
            and known.metadata_hash == group.metadata_hash
        ):
            return False
        is_pending = self._has_unassigned(group)
        if not is_pending:
            self._assigned[group.group_id] = _Assigned(
                group.state_partitions, group.assignment_epoch, group.metadata_hash
            )
        return is_pending

    def _has_unassigned(self, group: ShareGroup) -> bool:
        assigned = {
            (topic_id, partition)
            for target in group.target.values()
            for topic_id, partitions in target.items()
            for partition in partitions
        }
        return any(
            (topic_id, partition) not in assigned
            for topic_id, partitions in self._assignable(group).items()
            for partition in partitions
        )

    def _assignable(self, group: ShareGroup) -> Partitions:
        """The initialized partitions of the subscribed topics that exist."""
        ids = self.topics.ids(group.subscribed_topics())
        return {
            topic_id: tuple(sorted(states.partitions))
            for topic_id, states in group.state_partitions.initialized.items()
            if topic_id in ids
        }

    def _update_target(self, draft: ShareDraft) -> None:
        """Compute the target assignment of a new group epoch, at most once in an interval."""
        group, now_ms = draft.group, self._wall_ms()
        interval_ms = self._configs.number(group.group_id, SHARE_ASSIGNMENT_INTERVAL)
        if (
            group.assignment_epoch >= group.epoch
            or group.assignment_timestamp_ms + interval_ms > now_ms
        ):
            return
        subscriptions = {
            member_id: self.topics.ids(member.subscribed_topic_names)
            for member_id, member in group.members.items()
        }
        assigned = assign(subscriptions, self._assignable(group), group.target)
        for member_id, target in assigned.items():
            if group.target.get(member_id) != target:
                draft.write_target(member_id, target)
        draft.write_assignment_epoch(group.epoch, now_ms)

    def _reconcile(self, draft: ShareDraft, member_id: str) -> ShareGroupMember:
        """Give the member its target assignment at once: nothing has to be revoked first."""
        group = draft.group
        member, target = group.members[member_id], group.target.get(member_id, {})
        if (member.member_epoch, member.assigned) != (group.assignment_epoch, target):
            member = replace(
                member,
                member_epoch=group.assignment_epoch,
                previous_member_epoch=member.member_epoch,
                assigned=target,
            )
            draft.write_assignment(member)
        return member

    # ---------------------------------------------------------------------------- departures

    def _leave(self, request: ShareGroupHeartbeat) -> ShareGroupHeartbeatResult:
        group = self.group(request.group_id)
        self._remove(group, group.member(request.member_id).member_id)
        return ShareGroupHeartbeatResult(
            member_id=request.member_id, member_epoch=request.member_epoch
        )

    def _remove(self, group: ShareGroup, member_id: str) -> None:
        draft = ShareDraft(group)
        draft.remove(member_id)
        metadata_hash = self.topics.hash_of(draft.group.subscribed_topics())
        draft.write_epoch(next_epoch(draft.group.epoch), metadata_hash)
        self.finish(draft)
        self._timers.cancel_all(group.group_id, member_id)

    def _reschedule_session(self, group_id: str, member_id: str) -> None:
        duration_ms = self._configs.number(group_id, SHARE_SESSION_TIMEOUT)
        self._timers.restart_session(group_id, member_id, duration_ms)

    def _expire(self, group_id: str, member_id: str, why: str) -> None:
        """Remove a member whose session has expired."""
        group = self._states.groups.get(group_id)
        if not isinstance(group, ShareGroup) or member_id not in group.members:
            return
        log.info("group %s: the session of %s expired", group_id, member_id)
        try:
            self._remove(group, member_id)
        except ApiError as error:
            log.warning("group %s: %s is removed later: %s", group_id, member_id, error)
            self._timers.retry_expiration(group_id, member_id, why)

    # -------------------------------------------------------------------------------- groups

    def group(self, group_id: str) -> ShareGroup:
        """Return the share group; raises `ApiError` if there is none."""
        group = self._states.groups.get(group_id)
        if group is None:
            raise _not_found(f"Group {group_id} not found.")
        if not isinstance(group, ShareGroup):
            raise _not_found(f"Group {group_id} is not a share group.")
        return group

    def finish(self, draft: ShareDraft) -> None:
        """Append the records of a draft, and use its group; raises `ApiError`."""
        if draft.records:
            self._runtime.append(draft.group_id, draft.to_append)
            self._states.put(draft.group)

    def on_loaded(self, group: ShareGroup) -> None:
        """Begin the sessions of a group that was loaded."""
        for member_id in group.members:
            self._reschedule_session(group.group_id, member_id)

    def retire(self, group: ShareGroup) -> None:
        """Cancel the sessions of a group that is deleted or unloaded."""
        self._assigned.pop(group.group_id, None)
        for member_id in group.members:
            self._timers.cancel_all(group.group_id, member_id)


def _group_to_join(present: AnyGroup | None, request: ShareGroupHeartbeat) -> ShareGroup:
    """The group of a heartbeat; raises `ApiError` if it is of another protocol or absent."""
    if present is None and request.member_epoch == JOINING_EPOCH:
        return ShareGroup(request.group_id)
    if present is None:
        raise _not_found(f"Share group {request.group_id} not found.")
    if not isinstance(present, ShareGroup):
        raise _not_found(f"Group {request.group_id} is not a share group.")
    return present


def _with_changes(member: ShareGroupMember, request: ShareGroupHeartbeat) -> ShareGroupMember:
    names = request.subscribed_topic_names
    return replace(
        member,
        rack_id=member.rack_id if request.rack_id is None else request.rack_id,
        client_id=request.client_id,
        client_host=request.client_host,
        subscribed_topic_names=member.subscribed_topic_names if names is None else names,
    )


def _check_epoch(member: ShareGroupMember, epoch: int) -> None:
    """Raise `ApiError` unless the epoch is the known one, or the last response may be lost."""
    known, previous = member.member_epoch, member.previous_member_epoch
    if epoch in (known, previous):
        return
    words = f"greater member epoch ({epoch}) than the one known by the group coordinator ({known})."
    if epoch < known:
        words = (
            f"smaller member epoch ({epoch}) than the one known by the group coordinator "
            f"({known}), and it does not match the previous member epoch ({previous})."
        )
    raise ApiError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The share group member has a {words} "
        "The member must abandon all its partitions and rejoin.",
    )


def _not_found(message: str) -> ApiError:
    return ApiError(ErrorCode.GROUP_ID_NOT_FOUND, message)
