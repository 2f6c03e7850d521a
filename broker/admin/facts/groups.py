"""The groups: their members with assignments, and their committed offsets with the lag."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from uuid import UUID

from broker.admin.facts.json_object import JsonObject
from broker.common.topic_partition import TopicPartition
from broker.groups.classic.group import ClassicGroup
from broker.groups.classic.group_state import STABLE
from broker.groups.classic.member import ClassicGroupMember
from broker.groups.consumer.member import ConsumerGroupMember
from broker.groups.group_states import AnyGroup
from broker.groups.offset_and_metadata import OffsetAndMetadata
from broker.groups.share.group import ShareGroup
from broker.groups.share.member import ShareGroupMember
from broker.groups.streams.group import StreamsGroup
from broker.groups.streams.member import StreamsGroupMember
from broker.node import Node
from protocol.codec import Malformed
from protocol.consumer_protocol import parse_assignment
from protocol.printable import printable

# The log end offset of a partition's leader; None if no leader runs.
LogEnd = Callable[[TopicPartition], int | None]
# Partitions by topic, or of a streams group by subtopology.
Assignment = dict[str, list[int]]


def groups(
    nodes: Iterable[Node], log_end: LogEnd, group: str | None, limit: int
) -> list[JsonObject]:
    """At most *limit* groups, or only *group*, as docs/reference/admin.md lists them."""
    found = (
        (node, each)
        for node in nodes
        for name, each in list(node.groups.groups.items())
        if group in (None, name, printable(name))
    )
    return [_described(node, each, log_end) for node, each in islice(found, limit)]


def _described(node: Node, group: AnyGroup, log_end: LogEnd) -> JsonObject:
    offsets = node.groups.states.offsets.replicated.committed(group.group_id)
    return {
        "node": node.id,
        "group": group.group_id,
        "protocol": str(group.group_type),
        "protocol_type": group.protocol_type,
        "state": group.state_name,
        "members": _members(node, group),
        "offsets": [_offset(key, offsets[key], log_end(key)) for key in sorted(offsets)],
    }


def _members(node: Node, group: AnyGroup) -> list[JsonObject]:
    if isinstance(group, ClassicGroup):
        return [_classic_member(group, each) for each in group.members.values()]
    if isinstance(group, ShareGroup):
        return [_member(each, None, _named(node, each.assigned)) for each in group.members.values()]
    if isinstance(group, StreamsGroup):
        return [_streams_member(each) for each in group.members.values()]
    return [_consumer_member(node, each) for each in group.members.values()]


def _classic_member(group: ClassicGroup, member: ClassicGroupMember) -> JsonObject:
    is_assigned = group.state is STABLE and group.uses_consumer_protocol
    assignment = _parsed(member.assignment) if is_assigned else {}
    return _member(member, member.group_instance_id, assignment)


def _parsed(raw: bytes) -> Assignment:
    """The assignment that the leader has sent; empty if it cannot be decoded."""
    try:
        assigned = parse_assignment(raw).assigned_partitions
    except Malformed:
        return {}
    return {each.topic: sorted(each.partitions) for each in assigned if each.partitions}


def _consumer_member(node: Node, member: ConsumerGroupMember) -> JsonObject:
    return _member(member, member.instance_id, _named(node, member.assigned))


def _streams_member(member: StreamsGroupMember) -> JsonObject:
    """A member with its active tasks: partitions by subtopology."""
    active = member.current.assigned.active
    return _member(member, None, {each: sorted(active[each]) for each in sorted(active)})


def _named(node: Node, assigned: Mapping[UUID, Iterable[int]]) -> Assignment:
    """An assignment with the names of the topics that exist."""
    topics = node.groups.consumers.topics
    return {
        name: sorted(partitions)
        for topic_id, partitions in assigned.items()
        if partitions and (name := topics.name_of(topic_id)) is not None
    }


def _member(
    member: ClassicGroupMember | ConsumerGroupMember | ShareGroupMember | StreamsGroupMember,
    instance: str | None,
    assignment: Assignment,
) -> JsonObject:
    return {
        "member": member.member_id,
        "instance": instance,
        "client_id": member.client_id,
        "host": member.client_host,
        "assignment": assignment,
    }


def _offset(key: TopicPartition, committed: OffsetAndMetadata, end: int | None) -> JsonObject:
    return {
        "topic": key.topic,
        "partition": key.partition,
        "offset": committed.offset,
        "metadata": committed.metadata,
        "log_end_offset": end,
        "lag": None if end is None else max(0, end - committed.offset),
    }
