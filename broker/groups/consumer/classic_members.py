"""Members of a consumer group that use the classic protocol, while their group migrates.

JoinGroup updates and reconciles the member as a consumer heartbeat does. SyncGroup returns its
assignment. Heartbeat only returns whether it has to join again. Kafka's
``classicGroupJoinToConsumerGroup``, ``classicGroupSyncToConsumerGroup`` and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from broker.common.errors import ApiError
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.groups.classic.requests import (
    UNKNOWN_MEMBER_ID,
    JoinCallback,
    JoinGroup,
    JoinResult,
    LeavingMember,
    SyncGroup,
    SyncResult,
)
from broker.groups.consumer.admission import check_instance, check_size, new_member, replace_static
from broker.groups.consumer.coordinator import ConsumerGroupCoordinator
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.member import (
    ConsumerGroupMember,
    MemberState,
    generate_member_id,
)
from broker.groups.consumer.migration import Migration, assignment_bytes, classic_metadata
from protocol.consumer_protocol import (
    PROTOCOL_TYPE,
    ConsumerProtocolSubscription,
    version_of,
)
from protocol.errors import ErrorCode


class ClassicMembers:
    """Handles requests of the classic protocol for consumer groups."""

    def __init__(
        self,
        runtime: CoordinatorRuntime,
        consumers: ConsumerGroupCoordinator,
        migration: Migration,
    ) -> None:
        self._runtime = runtime
        self._consumers = consumers
        self._migration = migration

    # --------------------------------------------------------------------------------- join

    def join(self, group: ConsumerGroup, request: JoinGroup, on_response: JoinCallback) -> None:
        """Handle a JoinGroup; *on_response* is called when it is replicated. Raises `ApiError`."""
        if self._migration.is_disabled:
            raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        is_new_member = request.member_id == UNKNOWN_MEMBER_ID
        member_id = generate_member_id() if is_new_member else request.member_id
        check_size(group, member_id, self._consumers.size_max)
        _check_protocols(group, request)
        if is_new_member and request.require_known_member_id and request.group_instance_id is None:
            on_response(JoinResult(error=ErrorCode.MEMBER_ID_REQUIRED, member_id=member_id))
            return
        draft = GroupDraft(group)
        before = _admit(draft, request, member_id, is_new_member=is_new_member)
        subscription = _subscription(request)
        after = _with_changes(before, request, subscription)
        is_downgrade = self._is_last_consumer(group, request)
        if is_downgrade:
            joined = self._downgrade(draft, before, after, subscription)
        else:
            joined = self._consumers.update_member(draft, before, after, self._owned(subscription))
            self._consumers.finish(draft)
            self._consumers.maybe_resolve_regexes(group, draft.group, request.is_topic_visible)
        result = JoinResult(
            member_id=joined.member_id,
            generation_id=joined.member_epoch,
            protocol_type=PROTOCOL_TYPE,
            protocol_name=request.protocols[0].name,
        )

        def on_replicated(error: ErrorCode) -> None:
            if not is_downgrade:
                self._consumers.on_joined(group.group_id, joined.member_id)
            if error:
                on_response(JoinResult(error=error, member_id=UNKNOWN_MEMBER_ID))
            else:
                on_response(result)

        self._runtime.when_replicated(group.group_id, on_replicated)

    def _is_last_consumer(self, group: ConsumerGroup, request: JoinGroup) -> bool:
        """Whether a static member returns with the classic protocol and was the last without it."""
        present = group.static_member(request.group_instance_id)
        if present is None or not self._migration.may_downgrade_by_replacing(group, present):
            return False
        if present.instance_id != request.group_instance_id:
            # The member has changed its instance id. Kafka does not recognize it as the member
            # that is replaced, and fails to convert it.
            raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
        return True

    def _downgrade(
        self,
        draft: GroupDraft,
        before: ConsumerGroupMember,
        member: ConsumerGroupMember,
        subscription: ConsumerProtocolSubscription,
    ) -> ConsumerGroupMember:
        has_changed = before.subscribed_topic_names != member.subscribed_topic_names
        draft.write_metadata(member)
        if not has_changed:
            member = self._consumers.maybe_reconcile(
                draft, member, self._owned(subscription), has_subscription_changed=False
            )
        why = (
            "an instance has another subscription, and the classic protocol"
            if has_changed
            else None
        )
        self._consumers.downgrade(draft, set(), why)
        return member

    def _owned(self, subscription: ConsumerProtocolSubscription) -> Mapping[UUID, Sequence[int]]:
        owned = {}
        for each in subscription.owned_partitions:
            topic_id = self._consumers.topics.id_of(each.topic)
            if topic_id is not None:
                owned[topic_id] = each.partitions
        return owned

    # --------------------------------------------------------------------- sync and heartbeat

    def sync(self, group: ConsumerGroup, request: SyncGroup) -> SyncResult:
        """Handle a SyncGroup; raises `ApiError`."""
        member = _member(group, request.member_id, request.group_instance_id)
        _check_generation(member, request.generation_id)
        assert member.classic is not None
        protocol = member.classic.supported_protocols[0]
        if request.protocol_type not in (None, PROTOCOL_TYPE):
            raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if request.protocol_name not in (None, protocol.name):
            raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)
        if (
            group.assignment_epoch > member.member_epoch
            and member.state is not MemberState.UNREVOKED_PARTITIONS
        ):
            self._consumers.timeouts.schedule_join(group.group_id, member)
            raise ApiError(ErrorCode.REBALANCE_IN_PROGRESS)
        self._consumers.timeouts.on_synced(group.group_id, member)
        version = version_of(bytes(protocol.metadata))
        return SyncResult(
            protocol_type=request.protocol_type,
            protocol_name=request.protocol_name,
            assignment=assignment_bytes(member.assigned, self._consumers.topics, version),
        )

    def heartbeat(
        self, group: ConsumerGroup, member_id: str, instance_id: str | None, generation_id: int
    ) -> ErrorCode:
        """Handle a Heartbeat; REBALANCE_IN_PROGRESS if the member must join again."""
        member = _member(group, member_id, instance_id)
        _check_generation(member, generation_id)
        self._consumers.timeouts.reschedule_session(group.group_id, member)
        if (
            member.member_epoch < group.assignment_epoch
            or member.state is MemberState.UNREVOKED_PARTITIONS
            or (member.state is MemberState.UNRELEASED_PARTITIONS and not _must_wait(group, member))
        ):
            self._consumers.timeouts.schedule_join(group.group_id, member)
            return ErrorCode.REBALANCE_IN_PROGRESS
        return ErrorCode.NONE

    # -------------------------------------------------------------------------------- leave

    def leave(self, group: ConsumerGroup, leaving: Sequence[LeavingMember]) -> list[ErrorCode]:
        """Remove members of either protocol; returns an error for each."""
        errors, found = [], {}
        for each in leaving:
            try:
                member = _leaving(group, each)
            except ApiError as error:
                errors.append(error.code)
            else:
                errors.append(ErrorCode.NONE)
                found[member.member_id] = member
        self._consumers.fence(group, found.values(), f"{len(found)} member(s) left")
        return errors

    def check_leave(
        self, group: ConsumerGroup, leaving: LeavingMember, leavers: set[str]
    ) -> ErrorCode:
        """The error of a member; adds the id of one that may leave to *leavers*.

        As in `leave`, a member that is named twice has no error.
        """
        try:
            leavers.add(_leaving(group, leaving).member_id)
        except ApiError as error:
            return error.code
        return ErrorCode.NONE


def _check_protocols(group: ConsumerGroup, request: JoinGroup) -> None:
    """Raise `ApiError` unless all classic members support one of the request's protocols."""
    names = {protocol.name for protocol in request.protocols}
    for member in group.members.values():
        if member.classic is not None:
            names &= {protocol.name for protocol in member.classic.supported_protocols}
    if request.protocol_type != PROTOCOL_TYPE or not names:
        raise ApiError(ErrorCode.INCONSISTENT_GROUP_PROTOCOL)


def _admit(
    draft: GroupDraft, request: JoinGroup, member_id: str, *, is_new_member: bool
) -> ConsumerGroupMember:
    """Return the member that joins as it is before the request."""
    instance_id = request.group_instance_id
    if instance_id is None:
        return new_member(draft.group, member_id)
    present = draft.group.static_member(instance_id)
    if not is_new_member:
        return check_instance(present, instance_id, member_id)
    if present is None:
        return new_member(draft.group, member_id)
    return replace_static(draft, present, member_id)


def _subscription(request: JoinGroup) -> ConsumerProtocolSubscription:
    """All protocols of a consumer have the same subscription, so the first one is parsed."""
    subscription = request.protocols[0].subscription
    if subscription is None:
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    return subscription


def _with_changes(
    member: ConsumerGroupMember, request: JoinGroup, subscription: ConsumerProtocolSubscription
) -> ConsumerGroupMember:
    return replace(
        member,
        instance_id=request.group_instance_id or member.instance_id,
        rack_id=subscription.rack_id or member.rack_id,
        rebalance_timeout_ms=request.rebalance_timeout_ms,
        subscribed_topic_names=frozenset(subscription.topics),
        subscribed_topic_regex="",
        client_id=request.client_id,
        client_host=request.client_host,
        classic=classic_metadata(request.session_timeout_ms, request.protocols),
    )


def _member(group: ConsumerGroup, member_id: str, instance_id: str | None) -> ConsumerGroupMember:
    """Return the member; raises `ApiError` if it is fenced, unknown or not a classic member."""
    if instance_id is None:
        member = group.member(member_id)
    else:
        member = check_instance(group.static_member(instance_id), instance_id, member_id)
    if not member.uses_classic_protocol:
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID)
    return member


def _check_generation(member: ConsumerGroupMember, generation_id: int) -> None:
    if member.member_epoch != generation_id:
        raise ApiError(ErrorCode.ILLEGAL_GENERATION)


def _must_wait(group: ConsumerGroup, member: ConsumerGroupMember) -> bool:
    """Whether other members still own partitions of the member's target."""
    return any(
        partition not in member.assigned.get(topic_id, ())
        and not group.is_free(topic_id, partition, member.member_id)
        for topic_id, partitions in group.target.get(member.member_id, {}).items()
        for partition in partitions
    )


def _leaving(group: ConsumerGroup, leaving: LeavingMember) -> ConsumerGroupMember:
    if leaving.group_instance_id is None:
        return group.member(leaving.member_id)
    present = group.static_member(leaving.group_instance_id)
    if present is not None and leaving.member_id == UNKNOWN_MEMBER_ID:
        return present
    return check_instance(present, leaving.group_instance_id, leaving.member_id)
