"""Topics, partitions and groups that a request names twice."""

from __future__ import annotations

from typing import Any

from integration.parity.admin_requests import (
    delete_records,
    describe_partitions,
    elect,
    reassign,
    reassignments,
)
from integration.parity.formatting import by_partition
from integration.parity.group_requests import commit, committed, find_coordinator
from integration.parity.members import stable
from integration.parity.requests import LATEST, batch, list_offsets, produce
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from protocol.messages.delete_groups import DeleteGroupsRequest
from protocol.messages.describe_groups import DescribeGroupsRequest
from protocol.messages.describe_producers import DescribeProducersRequest, TopicRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)


@scenario()
def topics_named_twice(kafka: Kafka) -> Observations:
    """In descriptions; also by name and by id in the same request."""
    topic, other, unknown = kafka.topic(), kafka.topic(), kafka.new_name("unknown")
    by_name = [MetadataRequestTopic(name=each) for each in (topic, unknown) * 2]
    by_id = MetadataRequestTopic(topic_id=kafka.metadata(topic).topic_id, name=None)
    for version in (4, 9, 12, 13):
        named = MetadataRequest(topics=by_name, allow_auto_topic_creation=False)
        yield version, kafka.request(named, version).topics
    for first in (by_id, MetadataRequestTopic(name=topic), MetadataRequestTopic(name=other)):
        yield kafka.request(MetadataRequest(topics=[first, by_id])).topics
    yield kafka.request(describe_partitions(topic, topic))
    producers = TopicRequest(name=topic, partition_indexes=[0, 0])
    yield kafka.request(DescribeProducersRequest(topics=[producers, producers]))


@scenario()
def partitions_named_twice(kafka: Kafka) -> Observations:
    """In requests about records."""
    topic = kafka.topic(2)
    kafka.request(produce(topic, batch("a", "b")))
    for version in (1, 5, 9):
        yield version, *_doubled(kafka, list_offsets(topic, LATEST), version)
        one_twice = list_offsets(topic, LATEST, LATEST)
        one_twice.topics[0].partitions += list_offsets(topic, LATEST).topics[0].partitions
        yield version, by_partition(kafka.request(one_twice, version))
    yield "no partitions", kafka.request(list_offsets(topic))
    for version in (0, 2):
        yield version, *_doubled(kafka, delete_records(topic, {0: 1}), version)
    for version in (2, 4):
        partition = OffsetForLeaderPartition(partition=0, leader_epoch=0)
        epochs = OffsetForLeaderTopic(topic=topic, partitions=[partition])
        requested = OffsetForLeaderEpochRequest(replica_id=-1, topics=[epochs])
        yield version, *_doubled(kafka, requested, version)


@scenario()
def reassignments_named_twice(kafka: Kafka) -> Observations:
    """In reassignments and elections."""
    topic = kafka.topic(2)
    election = elect(topic, 0, 1, 0)
    yield kafka.request(election)
    election.topic_partitions = [*(election.topic_partitions or []) * 2]
    yield kafka.request(election)
    for to in ((1,), None, (9,)):
        yield to, *_doubled(kafka, reassign(topic, to))
    yield kafka.request(reassignments(topic, 0, 0))
    different = reassign(topic, (1,), (), None)
    for each in different.topics[0].partitions:
        each.partition_index = 0
    yield "different", kafka.request(different)


@scenario()
def groups_named_twice(kafka: Kafka) -> Observations:
    """In requests about groups and offsets."""
    group, topic = kafka.new_name("group"), kafka.topic()
    (member,) = stable(kafka, kafka.new_name("group"))
    for version in (2, 7, 9):
        yield version, *_doubled(kafka, commit(group, topic, {0: 1}), version)
    requested: Any = committed(group, {topic: [0, 0]})
    yield kafka.request(requested)
    requested.groups[0].topics *= 2
    yield kafka.request(requested)
    requested.groups *= 2
    yield kafka.request(requested)
    yield kafka.request(find_coordinator(group, group))
    names = [member.group, member.group, group, group]
    yield kafka.request(DescribeGroupsRequest(groups=names))
    yield kafka.request(ConsumerGroupDescribeRequest(group_ids=names))
    yield kafka.request(DeleteGroupsRequest(groups_names=[group, group]))


def _doubled(kafka: Kafka, request: Any, version: int | None = None) -> tuple[Any, Any]:
    """The responses if each partition is named twice, and then each topic, too."""
    for topic in request.topics:
        topic.partitions *= 2
    once = kafka.request(request, version)
    request.topics *= 2
    return once, kafka.request(request, version)
