"""Handles ConsumerGroupHeartbeat (KIP-848; ``GroupMetadataManager.consumerGroupHeartbeat``).

A heartbeat changes a draft of its group. When the draft's records are appended, the draft replaces
the group, and the timeouts of the members are changed.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import NamedTuple

from broker.common.errors import ApiError
from broker.groups.classic.group import ClassicGroup
from broker.groups.consumer.admission import (
    admit,
    check_instance,
    check_size,
    with_changes,
)
from broker.groups.consumer.assignors import ASSIGNORS
from broker.groups.consumer.current_assignment import CurrentAssignmentBuilder, Owned
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.member import (
    LEAVING_STATIC_EPOCH,
    ConsumerGroupMember,
    MemberState,
    generate_member_id,
    without_epochs,
)
from broker.groups.consumer.migration import Migration
from broker.groups.consumer.regex_resolution import IsVisible, RegexResolution, Resolved
from broker.groups.consumer.requests import (
    ConsumerGroupHeartbeat,
    ConsumerGroupHeartbeatResult,
)
from broker.groups.consumer.subscriptions import Subscriptions
from broker.groups.consumer.target_assignment import write_target_assignment
from broker.groups.consumer.timeouts import Timeouts
from broker.groups.consumer.validation import check_heartbeat
from broker.groups.epochs import next_epoch
from broker.groups.group_parts import GroupParts
from broker.groups.group_states import AnyGroup
from broker.groups.share.group import ShareGroup
from broker.groups.streams.group import StreamsGroup
from broker.steps.offload import Offload
from protocol.errors import ErrorCode

log = logging.getLogger("antechamber.groups")


class PreparedHeartbeat(NamedTuple):
    """The changes by a heartbeat to its group, as a draft, and to its member.

    ``has_assignment``: the response contains the assignment.
    """

    draft: GroupDraft
    group_before: ConsumerGroup
    before: ConsumerGroupMember
    after: ConsumerGroupMember
    has_assignment: bool


class ConsumerGroupCoordinator:
    """Coordinates consumer groups."""

    def __init__(self, parts: GroupParts, migration: Migration, offload: Offload) -> None:
        config, topics = parts.config, parts.topics
        self.topics = topics
        self.configs = parts.configs
        self.timeouts = Timeouts(parts.timer, self.configs, self._expire)
        self.default_assignor = config.group_consumer_assignors[0]
        self._assignors = config.group_consumer_assignors
        self.size_max = config.group_consumer_max_size
        self._clock = parts.clock
        self._runtime = parts.runtime
        self._states = parts.states
        self._migration = migration
        self.subscriptions = Subscriptions(
            parts.clock, topics, config.group_consumer_regex_refresh_interval_ms
        )
        self._resolution = RegexResolution(
            parts.timer, offload, topics, self._consumer_group, self._resolved
        )

    # ---------------------------------------------------------------------------- heartbeat

    def heartbeat(
        self, request: ConsumerGroupHeartbeat, api_version: int
    ) -> ConsumerGroupHeartbeatResult:
        """Handle a heartbeat; raises `ApiError`."""
        self.check(request, api_version)
        if request.is_leaving:
            return self._leave(request)
        group = self._states.groups.get(request.group_id)
        return self.apply(request, self.prepare(group, request))

    def check(self, request: ConsumerGroupHeartbeat, api_version: int) -> None:
        """Raise `ApiError` if the request is invalid or this node does not coordinate the group."""
        check_heartbeat(request, api_version, self._assignors)
        self._runtime.check(request.group_id)

    def prepare(self, group: AnyGroup | None, request: ConsumerGroupHeartbeat) -> PreparedHeartbeat:
        """Compute the changes by a heartbeat in *group*, which is unchanged. Raises `ApiError`.

        It may run in a thread. It reads the hash of the topics before the topics: if they change
        in between, the next heartbeat assigns the group again.
        """
        draft = self._draft(group, request)
        group_before = draft.group
        check_size(draft.group, request.member_id, self.size_max)
        request.member_id = request.member_id or generate_member_id()
        before = admit(draft, request)
        after = self.update_member(draft, before, with_changes(before, request), request.owned)
        has_assignment = request.is_joining or request.is_full or after.assigned != before.assigned
        return PreparedHeartbeat(draft, group_before, before, after, has_assignment)

    def apply(
        self, request: ConsumerGroupHeartbeat, prepared: PreparedHeartbeat
    ) -> ConsumerGroupHeartbeatResult:
        """Append and apply a prepared change; raises `ApiError`."""
        draft, group_before, before, after, has_assignment = prepared
        self.finish(draft)
        self.timeouts.reschedule_session(draft.group_id, after)
        if after is not before:
            self._update_rebalance_timeout(draft.group_id, before, after)
        self.maybe_resolve_regexes(group_before, draft.group, request.is_topic_visible)
        return ConsumerGroupHeartbeatResult(
            member_id=request.member_id,
            member_epoch=after.member_epoch,
            heartbeat_interval_ms=self.configs.heartbeat_interval_ms(draft.group_id),
            assigned=after.assigned if has_assignment else None,
        )

    def maybe_resolve_regexes(
        self, before: ConsumerGroup, group: ConsumerGroup, is_visible: IsVisible | None
    ) -> None:
        """Begin to resolve the regular expressions of a group that a member has joined or beaten.

        *before* is the group before its request; only topics that are visible for it match.
        """
        is_due = self.subscriptions.is_refresh_due(before, group)
        if is_due and not self._resolution.is_pending(group.group_id):
            self._resolution.schedule(group.group_id, is_visible)

    def update_member(
        self,
        draft: GroupDraft,
        before: ConsumerGroupMember,
        member: ConsumerGroupMember,
        owned: Owned,
    ) -> ConsumerGroupMember:
        """Write the changes of a member and their consequences to *draft*; returns the member."""
        names_changed = member.subscribed_topic_names != before.subscribed_topic_names
        regex_changed = member.subscribed_topic_regex != before.subscribed_topic_regex
        is_resolved = False
        if member != before or member.member_id not in draft.group.members:
            draft.write_metadata(member)
            is_resolved = self.subscriptions.update_regex(draft, before, member)
        self.subscriptions.update_epoch(draft, bump=names_changed or is_resolved)
        self.maybe_update_target_assignment(draft)
        return self.maybe_reconcile(
            draft, member, owned, has_subscription_changed=names_changed or regex_changed
        )

    def maybe_update_target_assignment(self, draft: GroupDraft) -> None:
        """Compute a new target assignment if the group epoch is newer than the present one's.

        It waits ``group.consumer.assignment.interval.ms`` after the last one.
        """
        group = draft.group
        if group.epoch <= group.assignment_epoch:
            return
        now_ms, last_ms = self._clock.wall_ms(), group.assignment_timestamp_ms
        interval_ms = self.configs.assignment_interval_ms(group.group_id)
        if last_ms and interval_ms and now_ms < last_ms + interval_ms:
            return
        assignor = ASSIGNORS[group.preferred_assignor() or self.default_assignor]
        write_target_assignment(draft, assignor, self.topics, now_ms)

    def maybe_reconcile(
        self,
        draft: GroupDraft,
        member: ConsumerGroupMember,
        owned: Owned,
        *,
        has_subscription_changed: bool,
    ) -> ConsumerGroupMember:
        """Reconcile a member with its target as far as possible now; returns the member."""
        group = draft.group
        if not has_subscription_changed and member.is_reconciled_to(group.assignment_epoch):
            return member
        reconciled = CurrentAssignmentBuilder(
            target_epoch=group.assignment_epoch,
            target=group.target.get(member.member_id, {}),
            owned=owned,
            subscribed=self.topics.ids(group.subscribed_topics(member)),
            has_subscription_changed=has_subscription_changed,
            owners_of=group.owners_of,
        ).build(member)
        if reconciled != member:
            draft.write_assignment(reconciled)
        return reconciled

    def finish(self, draft: GroupDraft) -> None:
        """Append the records of *draft* and replace the group; raises `ApiError`."""
        if not draft.records:
            return
        self._runtime.append(draft.group_id, draft.to_append)
        before = self._states.groups.get(draft.group_id)
        self._states.put(draft.group)
        if draft.is_up_to_date:
            self.subscriptions.mark_up_to_date(draft.group)
        if isinstance(before, ClassicGroup):
            self._migration.retired(before)
            self.on_loaded(draft.group)
        elif before is not None:
            for member_id in before.members.keys() - draft.group.members.keys():
                self.timeouts.cancel_all(draft.group_id, member_id)

    def _draft(self, group: AnyGroup | None, request: ConsumerGroupHeartbeat) -> GroupDraft:
        """Return a draft of the group of a request; raises `ApiError` if there is none."""
        if isinstance(group, ConsumerGroup):
            return GroupDraft(group)
        if not request.is_joining or isinstance(group, ShareGroup | StreamsGroup):
            which = (
                f"Consumer group {request.group_id} not found."
                if group is None
                else f"Group {request.group_id} is not a consumer group."
            )
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, which)
        if group is None:
            return GroupDraft(ConsumerGroup(request.group_id))
        return self._migration.upgraded(group)

    def _update_rebalance_timeout(
        self, group_id: str, before: ConsumerGroupMember, after: ConsumerGroupMember
    ) -> None:
        is_move = (after.state, after.member_epoch, after.pending_revocation) != (
            before.state,
            before.member_epoch,
            before.pending_revocation,
        )
        if is_move:
            self.timeouts.update_rebalance_timeout(
                group_id, after, lambda member: self._is_in_epoch(group_id, member)
            )

    def on_joined(self, group_id: str, member_id: str) -> None:
        """Begin the session of a classic member that has joined, if it is still a member.

        The session begins even if the response is an error, so that the member expires if its
        client sends no other request.
        """
        group = self._states.groups.get(group_id)
        if isinstance(group, ConsumerGroup) and member_id in group.members:
            self.timeouts.on_joined(group_id, group.members[member_id])

    def _is_in_epoch(self, group_id: str, member: ConsumerGroupMember) -> bool:
        group = self._consumer_group(group_id)
        now = None if group is None else group.members.get(member.member_id)
        return now is not None and now.member_epoch == member.member_epoch

    # -------------------------------------------------------------------------------- leave

    def _leave(self, request: ConsumerGroupHeartbeat) -> ConsumerGroupHeartbeatResult:
        group = self.group(request.group_id)
        if request.instance_id is None:
            member = group.member(request.member_id)
        else:
            present = group.static_member(request.instance_id)
            member = check_instance(present, request.instance_id, request.member_id)
        if request.member_epoch == LEAVING_STATIC_EPOCH:
            self._leave_temporarily(group, member)
        else:
            self.fence(group, [member], f"{member.member_id} left")
        return ConsumerGroupHeartbeatResult(
            member_id=request.member_id, member_epoch=request.member_epoch
        )

    def _leave_temporarily(self, group: ConsumerGroup, member: ConsumerGroupMember) -> None:
        """Let a static member leave with epoch -2: it keeps its partitions until its session ends.

        The epochs of its partitions are reset, so the member that replaces it may commit offsets.
        """
        draft = GroupDraft(group)
        draft.write_assignment(
            replace(
                member,
                member_epoch=LEAVING_STATIC_EPOCH,
                assigned=without_epochs(member.assigned),
                pending_revocation={},
            )
        )
        self.finish(draft)

    def fence(self, group: ConsumerGroup, members: Iterable[ConsumerGroupMember], why: str) -> None:
        """Remove members; raises `ApiError` if the log refuses."""
        leaving = {member.member_id for member in members}
        if not leaving:
            return
        log.info("group %s: %s", group.group_id, why)
        if self._migration.may_downgrade(group, leaving):
            self.downgrade(GroupDraft(group), leaving, f"{group.group_id}: {why}")
        else:
            draft = GroupDraft(group)
            for member_id in leaving:
                draft.remove(member_id)
            draft.remove_unsubscribed_regexes()
            metadata_hash = self.subscriptions.metadata_hash(draft.group)
            draft.write_epoch(next_epoch(draft.group.epoch), metadata_hash)
            self.finish(draft)

    def downgrade(
        self, draft: GroupDraft, leaving: AbstractSet[str], rebalance_because: str | None
    ) -> None:
        """Convert the drafted group into a classic one without *leaving*; raises `ApiError`."""
        group = self._states.groups[draft.group_id]
        assert isinstance(group, ConsumerGroup)
        self._migration.downgrade(draft, leaving, rebalance_because)
        self.retire(group)

    def retire(self, group: ConsumerGroup) -> None:
        """Cancel the timeouts of a group that is deleted, converted or unloaded."""
        for member_id in group.members:
            self.timeouts.cancel_all(group.group_id, member_id)
        self.subscriptions.remove(group)
        self._resolution.cancel(group.group_id)

    def _expire(self, group_id: str, member_id: str, why: str) -> None:
        """Remove a member because of a timeout."""
        group = self._states.groups.get(group_id)
        if not isinstance(group, ConsumerGroup) or member_id not in group.members:
            return
        member = group.members[member_id]
        try:
            self.fence(group, [member], f"{member_id} is removed: {why}")
        except ApiError as error:
            log.warning("group %s: the removal of %s is retried: %s", group_id, member_id, error)
            self.timeouts.retry_expiration(group_id, member_id, why)

    # ------------------------------------------------------------------------------- groups

    def group(self, group_id: str) -> ConsumerGroup:
        """Return the consumer group; raises `ApiError` if there is none."""
        group = self._states.groups.get(group_id)
        if group is None:
            raise ApiError(ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} not found.")
        if not isinstance(group, ConsumerGroup):
            raise ApiError(
                ErrorCode.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group."
            )
        return group

    def on_loaded(self, group: ConsumerGroup) -> None:
        """Begin the sessions and rebalance timeouts of a group that was loaded or converted."""
        for member in group.members.values():
            self.timeouts.reschedule_session(group.group_id, member)
            if member.state is MemberState.UNREVOKED_PARTITIONS:
                self.timeouts.update_rebalance_timeout(
                    group.group_id,
                    member,
                    lambda each: self._is_in_epoch(group.group_id, each),
                )

    def topics_changed(self, names: frozenset[str]) -> None:
        """Let groups that subscribe to *names* compare their topics at the next heartbeat."""
        self.topics.version += 1
        for group in self._states.groups.values():
            if isinstance(group, ConsumerGroup) and names & group.all_subscribed_topics():
                self.subscriptions.topic_changed(group)

    def _consumer_group(self, group_id: str) -> ConsumerGroup | None:
        group = self._states.groups.get(group_id)
        return group if isinstance(group, ConsumerGroup) else None

    def _resolved(self, group: ConsumerGroup, resolved: Resolved) -> None:
        """Write the resolved regular expressions of *group*."""
        draft = GroupDraft(group)
        self.subscriptions.resolve(draft, resolved)
        try:
            self.finish(draft)
        except ApiError as error:
            log.warning("group %s: its resolved topics are not updated: %s", group.group_id, error)
