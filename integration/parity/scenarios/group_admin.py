"""Administration of groups: listing, describing and deleting."""

from __future__ import annotations

import struct
from typing import Any

from integration.parity.group_requests import commit, committed, consumer_heartbeat, leave
from integration.parity.members import Member, stable
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.scenarios.consumer_groups import Member as Consumer
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)


@scenario()
def groups_are_described(kafka: Kafka) -> Observations:
    """A stable group, an empty one, and an unknown one, in every version."""
    (member,) = stable(kafka, kafka.new_name("group"))
    (gone,) = stable(kafka, kafka.new_name("group"))
    kafka.request(leave(gone.group, gone.id))
    unknown = kafka.new_name("group")
    for version in range(7):
        requested = DescribeGroupsRequest(groups=[member.group, gone.group, unknown])
        yield version, kafka.request(requested, version)


@scenario()
def rebalancing_groups_are_described(kafka: Kafka) -> Observations:
    """Members keep their assignments, and have no metadata, until the group is stable again."""
    (member,) = stable(kafka, kafka.new_name("group"))
    newcomer = Member(kafka, member.group)
    pending = newcomer.join()
    yield "waits", pending.waits()
    yield _described(kafka, member.group)
    joined = member.join()
    newcomer.joined(pending)
    yield "generation", member.joined(joined).generation_id
    yield _described(kafka, member.group)


@scenario()
def groups_are_listed(kafka: Kafka) -> Observations:
    """Groups with members and groups with offsets only, by state and by type."""
    (member,) = stable(kafka, kafka.new_name("group"))
    lone = kafka.new_name("group")
    kafka.request(commit(lone, kafka.topic(), {0: 1}))
    for version in range(6):
        yield version, _listed(kafka, {member.group, lone}, ListGroupsRequest(), version)
    for states in (["Stable"], ["Empty", "Dead"], ["stable"], ["nonsense"]):
        requested = ListGroupsRequest(states_filter=states)
        yield states, _listed(kafka, {member.group, lone}, requested)
    for types in (["classic"], ["Classic"], ["consumer"], ["nonsense"]):
        requested = ListGroupsRequest(types_filter=types)
        yield types, _listed(kafka, {member.group, lone}, requested)


@scenario()
def groups_are_deleted(kafka: Kafka) -> Observations:
    """Empty groups are deleted with their offsets; those with members and unknown ones are not."""
    (member,) = stable(kafka, kafka.new_name("group"))
    lone, topic = kafka.new_name("group"), kafka.topic()
    kafka.request(commit(lone, topic, {0: 1}))
    for version in range(3):
        names = [member.group, lone, kafka.new_name("group"), ""]
        response = kafka.request(DeleteGroupsRequest(groups_names=names), version)
        response.results.sort(key=lambda each: names.index(each.group_id))
        yield version, response
    yield kafka.request(committed(lone, {topic: [0]}))
    yield "still there", member.heartbeat()


@scenario()
def group_offsets_are_deleted(kafka: Kafka) -> Observations:
    """OffsetDelete of unsubscribed topics; unknown partitions have no error."""
    group, topic = kafka.new_name("group"), kafka.topic(2)
    kafka.request(commit(group, topic, {0: 1, 1: 2}))
    yield kafka.request(_delete(group, topic, 0))
    yield kafka.request(committed(group, {topic: [0, 1]}))
    yield "once more", kafka.request(_delete(group, topic, 0))
    yield "no such partition", kafka.request(_delete(group, topic, 9))
    yield "no such topic", kafka.request(_delete(group, kafka.new_name("topic"), 0))
    yield "no such group", kafka.request(_delete(kafka.new_name("group"), topic, 0))


@scenario()
def group_offsets_that_are_read(kafka: Kafka) -> Observations:
    """OffsetDelete of subscribed topics is rejected, in both protocols."""
    topic, other = kafka.topic(2), kafka.topic()
    group, unreadable, strange, new = (kafka.new_name("group") for _ in range(4))
    (member,) = stable(kafka, group, protocols=(("range", _subscribed_to(topic)),))
    for each in (topic, other):
        sent = commit(group, each, {0: 1}, member=member.id, generation=member.generation)
        yield kafka.request(sent)
    yield kafka.request(_delete(group, topic, 0, 1, 7))
    yield kafka.request(committed(group, {topic: [0, 1], other: [0]}))
    yield "twice", kafka.request(_delete(group, other, 0, 5, 0))
    yield "none", kafka.request(_delete(group, topic))
    stable(kafka, unreadable)
    yield "unreadable", kafka.request(_delete(unreadable, topic, 0))
    stable(kafka, strange, kind="connect")
    yield "another kind", kafka.request(_delete(strange, topic, 0))
    consumer = Consumer(kafka, new, topic)
    consumer.beat()
    yield "consumer", kafka.request(_delete(new, topic, 0)), kafka.request(_delete(new, other, 0))
    consumer.leave()
    yield "gone", kafka.request(_delete(new, topic, 0))
    yield "no name", kafka.request(_delete("", topic, 0))


@scenario()
def members_are_removed_together(kafka: Kafka) -> Observations:
    """LeaveGroup in a batch: by id, by instance, by both, by inconsistent or unknown ones."""
    group, fixed_group = kafka.new_name("group"), kafka.new_name("group")
    one, two = stable(kafka, group, 2)
    (fixed,) = stable(kafka, fixed_group, instance="fixed")
    for version in (3, 4, 5):
        for member in (
            ("", "absent"),
            ("unknown", "fixed"),
            ("unknown", None),
            ("", None),
            (fixed.id, "absent"),
        ):
            yield version, member, kafka.request(_leave(fixed_group, member), version)
        yield version, kafka.request(_leave(fixed_group), version)
    yield "still there", fixed.heartbeat()
    yield kafka.request(_leave(fixed_group, ("", "fixed"), ("", "fixed"), (fixed.id, None)))
    yield "gone", fixed.heartbeat()
    yield kafka.request(_leave(group, (one.id, None), ("unknown", None), (two.id, None)))
    yield kafka.request(DescribeGroupsRequest(groups=[group, fixed_group]))
    yield kafka.request(_leave(kafka.new_name("group"), ("x", None), ("", "y")))
    yield kafka.request(_leave("", ("x", None)))


@scenario()
def consumers_are_removed(kafka: Kafka) -> Observations:
    """LeaveGroup removes members of the consumer protocol, too."""
    group, topic = kafka.new_name("group"), kafka.topic()
    member = Consumer(kafka, group, topic)
    member.beat()
    joins = consumer_heartbeat(group, "a-member", 0, topics=[topic], owned={}, instance="fixed")
    yield kafka.request(joins).error_code
    yield kafka.request(_leave(group, ("unknown", None), ("", "absent"), ("unknown", "fixed")))
    yield kafka.request(_leave(group, ("", "fixed")))
    yield kafka.request(_leave(group, (member.id, None)))
    yield kafka.request(ConsumerGroupDescribeRequest(group_ids=[group]))


@scenario()
def groups_of_both_protocols(kafka: Kafka) -> Observations:
    """Groups of both protocols are described, listed and deleted by the APIs of both."""
    topic = kafka.topic()
    live, empty, classic = (kafka.new_name("group") for _ in range(3))
    member, gone = Consumer(kafka, live, topic), Consumer(kafka, empty, topic)
    member.beat()
    gone.beat()
    gone.leave()
    stable(kafka, classic)
    for name in (live, empty, classic, kafka.new_name("group"), ""):
        for version in (0, 1):
            yield kafka.request(ConsumerGroupDescribeRequest(group_ids=[name]), version)
        for version in (5, 6):
            yield kafka.request(DescribeGroupsRequest(groups=[name]), version)
    for types, states in (
        (["consumer"], []),
        (["CONSUMER", "classic"], ["stable"]),
        ([], ["EMPTY"]),
        (["share"], []),
        ([""], []),
        ([], [""]),
    ):
        requested = ListGroupsRequest(types_filter=types, states_filter=states)
        response = _listed(kafka, {live, empty, classic}, requested)
        yield types, states, sorted(response.groups, key=lambda each: each.group_id)
    yield kafka.request(DeleteGroupsRequest(groups_names=[]))
    for names in ([live], [empty], [live, live, empty]):
        response = kafka.request(DeleteGroupsRequest(groups_names=names))
        yield sorted(response.results, key=lambda each: each.group_id)


def _listed(kafka: Kafka, mine: set[str], requested: ListGroupsRequest, version: int = 5) -> Any:
    """The response without the groups of other scenarios, sorted by state."""
    response = kafka.request(requested, version)
    response.groups = [each for each in response.groups if each.group_id in mine]
    response.groups.sort(key=lambda each: each.protocol_type)
    return response


def _delete(group: str, topic: str, *partitions: int) -> OffsetDeleteRequest:
    parts = [OffsetDeleteRequestPartition(partition_index=each) for each in partitions]
    return OffsetDeleteRequest(
        group_id=group, topics=[OffsetDeleteRequestTopic(name=topic, partitions=parts)]
    )


def _leave(group: str, *members: tuple[str, str | None]) -> LeaveGroupRequest:
    leaving = [MemberIdentity(member_id=each, group_instance_id=fixed) for each, fixed in members]
    return LeaveGroupRequest(group_id=group, members=leaving)


def _subscribed_to(topic: str) -> bytes:
    """A member's metadata in the consumer format, version 0, with one topic."""
    name = topic.encode()
    return struct.pack(">hih", 0, 1, len(name)) + name + bytes(4)


def _described(kafka: Kafka, group: str) -> list[Any]:
    described = []
    for version in (0, 5):
        requested = DescribeGroupsRequest(groups=[group])
        (each,) = kafka.request(requested, version).groups
        parts = [(bytes(m.member_metadata), bytes(m.member_assignment)) for m in each.members]
        described.append((each.group_state, each.protocol_data, sorted(parts)))
    return described
