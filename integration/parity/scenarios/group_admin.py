"""What administrators ask about groups: which there are, how they are, and that they go."""

from __future__ import annotations

from typing import Any

from integration.parity.group_requests import commit, committed, leave
from integration.parity.members import stable
from integration.parity.scenario import Kafka, Story, scenario
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.list_groups import ListGroupsRequest
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)


@scenario()
def groups_are_described(kafka: Kafka) -> Story:
    """A stable group, an empty one, and one that does not exist, in every version."""
    (member,) = stable(kafka, kafka.new_name("group"))
    (gone,) = stable(kafka, kafka.new_name("group"))
    kafka.ask(leave(gone.group, gone.id))
    unknown = kafka.new_name("group")
    for version in range(7):
        asked = DescribeGroupsRequest(groups=[member.group, gone.group, unknown])
        yield version, kafka.ask(asked, version)


@scenario()
def groups_are_listed(kafka: Kafka) -> Story:
    """Groups with members and with offsets only; by their state and by their kind."""
    (member,) = stable(kafka, kafka.new_name("group"))
    lone = kafka.new_name("group")
    kafka.ask(commit(lone, kafka.topic(), {0: 1}))
    for version in range(6):
        yield version, _listed(kafka, {member.group, lone}, ListGroupsRequest(), version)
    for states in (["Stable"], ["Empty", "Dead"], ["stable"], ["nonsense"]):
        asked = ListGroupsRequest(states_filter=states)
        yield states, _listed(kafka, {member.group, lone}, asked)
    for types in (["classic"], ["Classic"], ["consumer"], ["nonsense"]):
        asked = ListGroupsRequest(types_filter=types)
        yield types, _listed(kafka, {member.group, lone}, asked)


@scenario()
def groups_are_deleted(kafka: Kafka) -> Story:
    """Empty groups go with their offsets; those with members stay; others were never there."""
    (member,) = stable(kafka, kafka.new_name("group"))
    lone, topic = kafka.new_name("group"), kafka.topic()
    kafka.ask(commit(lone, topic, {0: 1}))
    for version in range(3):
        names = [member.group, lone, kafka.new_name("group"), ""]
        answer = kafka.ask(DeleteGroupsRequest(groups_names=names), version)
        answer.results.sort(key=lambda each: names.index(each.group_id))
        yield version, answer
    yield kafka.ask(committed(lone, {topic: [0]}))
    yield "still there", member.heartbeat()


@scenario()
def group_offsets_are_deleted(kafka: Kafka) -> Story:
    """OffsetDelete: of what nobody reads; of the unknown it says nothing bad."""
    group, topic = kafka.new_name("group"), kafka.topic(2)
    kafka.ask(commit(group, topic, {0: 1, 1: 2}))
    yield kafka.ask(_delete(group, topic, 0))
    yield kafka.ask(committed(group, {topic: [0, 1]}))
    yield "once more", kafka.ask(_delete(group, topic, 0))
    yield "no such partition", kafka.ask(_delete(group, topic, 9))
    yield "no such topic", kafka.ask(_delete(group, kafka.new_name("topic"), 0))
    yield "no such group", kafka.ask(_delete(kafka.new_name("group"), topic, 0))


def _listed(kafka: Kafka, mine: set[str], asked: ListGroupsRequest, version: int = 5) -> Any:
    """The answer without the groups of other scenarios, in the order of their states."""
    answer = kafka.ask(asked, version)
    answer.groups = [each for each in answer.groups if each.group_id in mine]
    answer.groups.sort(key=lambda each: each.protocol_type)
    return answer


def _delete(group: str, topic: str, *partitions: int) -> OffsetDeleteRequest:
    parts = [OffsetDeleteRequestPartition(partition_index=each) for each in partitions]
    return OffsetDeleteRequest(
        group_id=group, topics=[OffsetDeleteRequestTopic(name=topic, partitions=parts)]
    )
