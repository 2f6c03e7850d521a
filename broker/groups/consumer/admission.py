"""Who may speak for a member: newcomers, known members, and instances that come back (KIP-345)."""

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
from broker.groups.consumer.requests import ConsumerGroupHeartbeat
from protocol.errors import ErrorCode


def check_size(group: ConsumerGroup, member_id: str, size_max: int) -> None:
    """Raise `ApiError` if the group has no room for another member."""
    if member_id not in group.members and len(group.members) >= size_max:
        raise ApiError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The consumer group has reached its maximum capacity of {size_max} members.",
        )


def admit(draft: GroupDraft, request: ConsumerGroupHeartbeat) -> ConsumerGroupMember:
    """The member that a heartbeat speaks for, as it was before; raises `ApiError`."""
    group = draft.group
    if request.instance_id is not None:
        return _admit_static(draft, request, request.instance_id)
    member = (
        newcomer(group, request.member_id)
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
        return newcomer(draft.group, request.member_id)
    if not present.speaks_classic and present.member_epoch != LEAVING_STATIC_EPOCH:
        raise ApiError(
            ErrorCode.UNRELEASED_INSTANCE_ID,
            f"Static member {request.member_id} with instance id {instance_id} cannot join the "
            f"group because the instance id is owned by {present.member_id} member.",
        )
    return replace_static(draft, present, request.member_id)


def newcomer(group: ConsumerGroup, member_id: str) -> ConsumerGroupMember:
    """A member that joins: a new one, or one that has lost track and begins anew."""
    return group.members.get(member_id) or ConsumerGroupMember(member_id=member_id)


def replace_static(
    draft: GroupDraft, present: ConsumerGroupMember, member_id: str
) -> ConsumerGroupMember:
    """The same instance under a new member id, with all that its former self had."""
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
    """The member that is this instance, if it is the one that says so; raises `ApiError`."""
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
    """Whoever is ahead of us is lost; whoever is behind may have missed our last answer."""
    said, known = request.member_epoch, member.member_epoch
    if said in (JOINING_EPOCH, known):
        return
    missed_the_answer = said == member.previous_member_epoch and _has_at_most(request.owned, member)
    if said < known and missed_the_answer:
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
