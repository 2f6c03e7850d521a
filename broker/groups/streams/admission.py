"""Admits the member of a heartbeat: its group, its epoch, and the fields that have changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from broker.common.errors import ApiError
from broker.groups.classic.group import ClassicGroup
from broker.groups.group_states import AnyGroup
from broker.groups.streams.draft import StreamsDraft
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.requests import StreamsGroupHeartbeat, TaskIds
from protocol.errors import ErrorCode

Value = TypeVar("Value")
Known = TypeVar("Known")


def draft_for(present: AnyGroup | None, request: StreamsGroupHeartbeat) -> StreamsDraft:
    """Return a draft of the group of a heartbeat; raises `ApiError` if it is absent.

    A member that joins creates the group, also in place of a classic group without members.
    """
    if isinstance(present, StreamsGroup):
        return StreamsDraft(present)
    if request.is_joining:
        if present is None:
            return StreamsDraft(StreamsGroup(request.group_id))
        if isinstance(present, ClassicGroup) and present.is_empty:
            return StreamsDraft(StreamsGroup(request.group_id), present.tombstones())
    if present is None:
        raise _not_found(f"Streams group {request.group_id} not found.")
    raise _not_found(f"Group {request.group_id} is not a streams group.")


def admit(group: StreamsGroup, request: StreamsGroupHeartbeat, size_max: int) -> StreamsGroupMember:
    """Return the member as it is before the request; raises `ApiError`."""
    if not request.is_joining:
        member = group.member(request.member_id)
        _check_epoch(member, request)
        return member
    if len(group.members) >= size_max:
        raise ApiError(
            ErrorCode.GROUP_MAX_SIZE_REACHED,
            f"The streams group has reached its maximum capacity of {size_max} members.",
        )
    return group.members.get(request.member_id) or StreamsGroupMember(member_id=request.member_id)


def with_changes(member: StreamsGroupMember, request: StreamsGroupHeartbeat) -> StreamsGroupMember:
    """The member with the fields of the request; those that are absent are unchanged.

    Raises `ApiError` if a client tag occurs twice.
    """
    topology, timeout_ms = request.topology, request.rebalance_timeout_ms
    tags = request.client_tags
    return replace(
        member,
        client_id=request.client_id,
        client_host=request.client_host,
        rack_id=_changed(request.rack_id, member.rack_id),
        rebalance_timeout_ms=member.rebalance_timeout_ms if timeout_ms == -1 else timeout_ms,
        topology_epoch=member.topology_epoch if topology is None else topology.epoch,
        process_id=_changed(request.process_id, member.process_id),
        user_endpoint=_changed(request.user_endpoint, member.user_endpoint),
        client_tags=member.client_tags if tags is None else _client_tags(tags),
    )


def _client_tags(tags: Sequence[tuple[str, str]]) -> Mapping[str, str]:
    by_key = dict(tags)
    if len(by_key) < len(tags):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)  # as in Kafka, which does not check them
    return by_key


def _changed(sent: Value | None, known: Known) -> Value | Known:
    return known if sent is None else sent


def _check_epoch(member: StreamsGroupMember, request: StreamsGroupHeartbeat) -> None:
    """Raise `ApiError` unless the epoch is the known one, or the last response may be lost."""
    epoch, known = request.member_epoch, member.member_epoch
    if epoch == known:
        return
    word = "greater" if epoch > known else "smaller"
    if epoch < known and epoch == member.current.previous_member_epoch and _owns(member, request):
        return
    raise ApiError(
        ErrorCode.FENCED_MEMBER_EPOCH,
        f"The streams group member has a {word} member epoch ({epoch}) than the one known by the "
        f"group coordinator ({known}). The member must abandon all its partitions and rejoin.",
    )


def _owns(member: StreamsGroupMember, request: StreamsGroupHeartbeat) -> bool:
    """Whether all tasks that the member reports are assigned to it."""
    assigned, owned = member.current.assigned, request.owned
    return (
        _contains(assigned.active, owned.active)
        and _contains(assigned.standby, owned.standby)
        and _contains(assigned.warmup, owned.warmup)
    )


def _contains(assigned: Mapping[str, Iterable[int]], owned: TaskIds | None) -> bool:
    return owned is not None and all(
        subtopology_id in assigned and set(partitions) <= set(assigned[subtopology_id])
        for subtopology_id, partitions in owned
    )


def _not_found(message: str) -> ApiError:
    return ApiError(ErrorCode.GROUP_ID_NOT_FOUND, message)
