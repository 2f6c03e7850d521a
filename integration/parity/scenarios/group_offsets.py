"""Committed offsets of groups and of consumers without a group protocol."""

from __future__ import annotations

from integration.parity.formatting import by_partition
from integration.parity.group_requests import commit, committed
from integration.parity.members import stable
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestTopic


@scenario()
def offsets_without_members(kafka: Kafka) -> Observations:
    """Any consumer may commit to a group without members; an uncommitted offset is -1."""
    group, topic = kafka.new_name("group"), kafka.topic(2)
    yield kafka.request(committed(group, {topic: [0, 1]}))
    yield kafka.request(commit(group, topic, {0: 5}, metadata="note", epoch=0))
    yield kafka.request(committed(group, {topic: [0, 1]}))
    yield "all", kafka.request(committed(group, None))
    yield "stable", kafka.request(committed(group, {topic: [0]}, require_stable=True))


@scenario()
def offsets_of_all_versions(kafka: Kafka) -> Observations:
    """OffsetCommit and OffsetFetch in every version with topic names."""
    group, topic = kafka.new_name("group"), kafka.topic()
    for version in range(2, 10):
        yield "commit", version, kafka.request(commit(group, topic, {0: version}), version)
    for version in range(1, 8):
        requested = OffsetFetchRequest(
            group_id=group, topics=[OffsetFetchRequestTopic(name=topic, partition_indexes=[0, 7])]
        )
        yield "fetch", version, kafka.request(requested, version)


@scenario()
def offsets_need_the_right_member(kafka: Kafka) -> Observations:
    """A group with members accepts only their commits, in their generation."""
    topic = kafka.topic()
    (member,) = stable(kafka, kafka.new_name("group"))
    group, generation = member.group, member.generation
    for who, at in ((member.id, generation), ("", -1), ("absent", generation), (member.id, 9)):
        response = kafka.request(commit(group, topic, {0: 1}, member=who, generation=at))
        yield who, at, response
    yield kafka.request(committed(group, None))


@scenario()
def offsets_of_unknown_topics(kafka: Kafka) -> Observations:
    """Commits for unknown topics and partitions."""
    group = kafka.new_name("group")
    yield kafka.request(commit(group, kafka.new_name("unknown"), {0: 1}))
    yield by_partition(kafka.request(commit(group, kafka.topic(), {0: 1, 9: 1, -1: 1})))


@scenario()
def offsets_with_unusual_values(kafka: Kafka) -> Observations:
    """Negative offsets, and metadata that is null or too long."""
    group, topic = kafka.new_name("group"), kafka.topic()
    yield kafka.request(commit(group, topic, {0: -5}))
    yield kafka.request(commit(group, topic, {0: 2**62}))
    yield kafka.request(commit(group, topic, {0: 3}, metadata=None))
    yield kafka.request(committed(group, {topic: [0]}))
    yield kafka.request(commit(group, topic, {0: 1}, metadata="x" * 4096))
    yield kafka.request(commit(group, topic, {0: 2}, metadata="x" * 4097))
    response = kafka.request(committed(group, {topic: [0]}))
    yield response.groups[0].topics[0].partitions[0].committed_offset


@scenario()
def offsets_that_are_all_refused(kafka: Kafka) -> Observations:
    """The commit creates the group: its offsets and the group can be deleted."""
    topic = kafka.topic()
    for number in range(3):
        group = kafka.new_name("group")
        yield kafka.request(commit(group, topic, {0: 1}, metadata="x" * 4097), 7)
        if number == 0:
            requested = OffsetDeleteRequestTopic(
                name=topic, partitions=[OffsetDeleteRequestPartition(partition_index=0)]
            )
            yield kafka.request(OffsetDeleteRequest(group_id=group, topics=[requested]))
        elif number == 1:
            yield kafka.request(DeleteGroupsRequest(groups_names=[group]))
        for member in ("", "q"):
            yield kafka.request(commit(group, topic, {0: 1}, member=member, generation=0), 7)


@scenario()
def offsets_of_many_groups(kafka: Kafka) -> Observations:
    """One OffsetFetch for several groups, known and unknown (KIP-709)."""
    known, unknown, topic = kafka.new_name("group"), kafka.new_name("group"), kafka.topic()
    kafka.request(commit(known, topic, {0: 5}))
    both = committed(known, {topic: [0]})
    both.groups += committed(unknown, {topic: [0]}).groups
    both.groups += committed("", {topic: [0]}).groups
    yield kafka.request(both)


@scenario()
def offsets_outlive_members_and_go_with_topics(kafka: Kafka) -> Observations:
    """A member's commits remain after it has left."""
    topic = kafka.topic()
    (member,) = stable(kafka, kafka.new_name("group"))
    sent = commit(member.group, topic, {0: 7}, member=member.id, generation=member.generation)
    yield kafka.request(sent)
    yield kafka.request(committed(member.group, {topic: [0]}))
