"""Requests that are rejected as a whole, before their parts are checked."""

from __future__ import annotations

from typing import Any

from integration.parity.admin_requests import create_topics, new_topic
from integration.parity.edited import response_or_closed
from integration.parity.requests import LATEST, fetch, list_offsets
from integration.parity.scenario import Kafka, Observations, scenario
from protocol.messages.alter_partition_reassignments import (
    AlterPartitionReassignmentsRequest,
    ReassignablePartition,
    ReassignableTopic,
)
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic


@scenario()
def unknown_isolation_levels(kafka: Kafka) -> Observations:
    """There are two isolation levels; another value fails the whole request."""
    topic = kafka.topic()
    for level in (2, -1, 127, -128):
        requested: Any = fetch(topic, max_wait_ms=0)
        requested.isolation_level = level
        for version in (4, 6, 7, 12):
            yield "fetch", level, version, kafka.request(requested, version)
        offsets = list_offsets(topic, LATEST)
        offsets.isolation_level = level
        yield "offsets", level, kafka.request(offsets, 5)


@scenario()
def changes_with_a_timeout_of_zero(kafka: Kafka) -> Observations:
    """With a timeout of 0 or less, the request times out before the controller begins."""
    name, unknown = kafka.new_name("topic"), kafka.new_name("unknown")
    moved = ReassignableTopic(
        name=unknown, partitions=[ReassignablePartition(partition_index=0, replicas=[1])]
    )
    grown = CreatePartitionsTopic(name=unknown, count=2, assignments=None)
    elected = [TopicPartitions(topic=unknown, partitions=[0])]
    for timeout_ms in (0, -1, -(2**31)):
        created = create_topics(new_topic(name, replicas={0: [1]}), new_topic("no good"))
        created.timeout_ms = timeout_ms
        for request in (
            created,
            DeleteTopicsRequest(topics=[DeleteTopicState(name=unknown)], timeout_ms=timeout_ms),
            CreatePartitionsRequest(topics=[grown], timeout_ms=timeout_ms, validate_only=False),
            ElectLeadersRequest(election_type=0, topic_partitions=elected, timeout_ms=timeout_ms),
            AlterPartitionReassignmentsRequest(topics=[moved], timeout_ms=timeout_ms),
        ):
            yield timeout_ms, kafka.request(request)
    yield "not created", kafka.metadata(name).error_code


@scenario()
def topics_without_a_name(kafka: Kafka) -> Observations:
    """Neither a name nor an id, in versions that support both."""
    for version in (10, 11, 12, 13):
        requested = MetadataRequest(topics=[MetadataRequestTopic(name=None)])
        yield version, response_or_closed(kafka, requested, version)
