"""Identifies the member of a heartbeat: new, known, or a returning static member (KIP-345).

Kafka's ``getOrMaybeSubscribeDynamicConsumerMember`` and the one for static members.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from broker.common.errors import ApiError
from broker.groups.consumer.draft import GroupDraft
from broker.groups.consumer.group import ConsumerGroup
from broker.groups.consumer.member import (
    JOINING_EPOCH,
    LEAVING_STATIC_EPOCH,
    ConsumerGroupMember,
)
from broker.groups.consumer.requests import UNCHANGED_MS, ConsumerGroupHeartbeat
from protocol.errors import ErrorCode


def check_size(group: ConsumerGroup, member_id: str, size_max: int) -> None:
    """Raise `ApiError` if the group has no room for another member."""
    if member_id not in group.members and len(group.members) >= size_max:
        raise ApiError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The consumer group has reached its maximum capacity of {size_max} members.",
        )


def admit(draft: GroupDraft, request: ConsumerGroupHeartbeat) -> ConsumerGroupMember:
    """Return the member of a heartbeat as it is before the request; raises `ApiError`."""
    group = draft.group
    if request.instance_id is not None:
        return _admit_static(draft, request, request.instance_id)
    member = (
        new_member(group, request.member_id)
        if request.is_joining
        else group.member(request.member_id)
    )
    _check_epoch(member, request)
    return member


def _admit_static(
    draft: GroupDraft, request: ConsumerGroupHeartbeat, instance_id: str
) -> ConsumerGroupMember:
    present = draft.group.static_member(instance_id)
    if not request.is_joining:
        member = check_instance(present, instance_id, request.member_id)
        _check_epoch(member, request)
        return member
    if present is None:
        return new_member(draft.group, request.member_id)
    if not present.uses_classic_protocol and present.member_epoch != LEAVING_STATIC_EPOCH:
        raise ApiError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Static member {request.member_id} with instance id {instance_id} cannot join the "
            f"group because the instance id is owned by {present.member_id} member.",
        )
    return replace_static(draft, present, request.member_id)


def with_changes(
    member: ConsumerGroupMember, request: ConsumerGroupHeartbeat
) -> ConsumerGroupMember:
    """Return the member with the fields that its heartbeat changes."""
    changes: dict[str, object] = {
        name: value
        for name, value in (
            ("instance_id", request.instance_id),
            ("rack_id", request.rack_id),
            ("server_assignor", request.server_assignor),
            ("subscribed_topic_names", request.subscribed_topic_names),
            ("subscribed_topic_regex", request.subscribed_topic_regex),
        )
        if value is not None
    }
    if request.rebalance_timeout_ms != UNCHANGED_MS:
        changes["rebalance_timeout_ms"] = request.rebalance_timeout_ms
    if member.uses_classic_protocol:
        changes["classic"] = None
    if (member.client_id, member.client_host) != (request.client_id, request.client_host):
        changes |= {"client_id": request.client_id, "client_host": request.client_host}
    return replace(member, **changes) if changes else member  # type: ignore[arg-type]  # by name


def new_member(group: ConsumerGroup, member_id: str) -> ConsumerGroupMember:
    """Return the member that joins: a new one, or a known one that joins again."""
    return group.members.get(member_id) or ConsumerGroupMember(member_id=member_id)


def replace_static(
    draft: GroupDraft, present: ConsumerGroupMember, member_id: str
) -> ConsumerGroupMember:
    """Replace a static member by one with another member id, which keeps its assignment."""
    target = draft.group.target.get(present.member_id, {})
    member = replace(
        present,
        member_id=member_id,
        member_epoch=JOINING_EPOCH,
        previous_member_epoch=JOINING_EPOCH,
    )
    draft.has_replaced = True
    draft.remove(present.member_id)
    draft.write_metadata(member)
    draft.write_target(member_id, target)
    draft.write_assignment(member)
    return member


def check_instance(
    present: ConsumerGroupMember | None, instance_id: str, member_id: str
) -> ConsumerGroupMember:
    """Return the static member if it has this member id; raises `ApiError`."""
    if present is None:
        raise ApiError(ErrorCode.UNKNOWN_MEMBER_ID, f"Instance id {instance_id} is unknown.")
    if present.member_id != member_id:
        raise ApiError(
            ErrorCode.FENCED_INSTANCE_ID,
            f"Static member {member_id} with instance id {instance_id} was fenced by member "
            f"{present.member_id}.",
        )
    return present


def _check_epoch(member: ConsumerGroupMember, request: ConsumerGroupHeartbeat) -> None:
    """Raise `ApiError` unless the epoch is the known one, or the last response may be lost.

    A member that has not received the response still sends the previous epoch, and owns no more
    partitions than it is assigned.
    """
    said, known = request.member_epoch, member.member_epoch
    if said in (JOINING_EPOCH, known):
        return
    missed_the_response = said == member.previous_member_epoch and _has_at_most(
        request.owned, member
    )
    if said < known and missed_the_response:
        return
    raise ApiError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The consumer group member has a {'greater' if said > known else 'smaller'} member "
        f"epoch ({said}) than the one known by the group coordinator ({known}). "
        "The member must abandon all its partitions and rejoin.",
    )


def _has_at_most(owned: Mapping[UUID, Sequence[int]] | None, member: ConsumerGroupMember) -> bool:
    if owned is None:
        return False
    return all(
        member.assigned.get(topic_id, {}).keys() >= set(partitions)
        for topic_id, partitions in owned.items()
    )
