"""Describes a topic in Metadata responses: the leaders, replicas and errors of its partitions.

    topic, version, nodes ---> description ---> bytes, kept with the topic's image

A description depends on nothing else, so clients with the same version that ask for the same topic
get the same bytes. They are encoded once, until the topic or the nodes that are alive change.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from broker.api.handlers.topics.partition_facts import Nodes, partition_facts
from broker.controller.metadata.image import NO_LEADER, PartitionRegistration, TopicImage
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.metadata import (
    MetadataResponse,
    MetadataResponsePartition,
    MetadataResponseTopic,
)
from protocol.slices import encode_item

_ALIVE_ONLY_UNTIL: Final = 0
_LISTENER_NOT_FOUND_SINCE: Final = 6
# Of a topic: clients use some versions and listeners, and nodes start and stop.
_ENCODINGS_MAX: Final = 16


def encoded_topic(topic: TopicImage, version: int, nodes: Nodes) -> Slices[bytes]:
    """Return the topic in a response of that version, without authorized operations."""
    key = (version, nodes)
    found = topic.encodings.get(key)
    if found is None:
        described = yield from described_topic(topic, version, nodes)
        found = yield from encode_item(MetadataResponse, version, described)
        if len(topic.encodings) >= _ENCODINGS_MAX:
            topic.encodings.clear()
        topic.encodings[key] = found
    return found


def described_topic(topic: TopicImage, version: int, nodes: Nodes) -> Slices[MetadataResponseTopic]:
    """Describe a topic to clients that have the addresses of *nodes*."""
    describe = partial(_partition, version, nodes)
    partitions = yield from map_in_slices(describe, enumerate(topic.partitions))
    return MetadataResponseTopic(
        name=topic.name,
        topic_id=topic.topic_id,
        is_internal=topic.internal,
        partitions=partitions,
    )


def _partition(
    version: int, nodes: Nodes, numbered: tuple[int, PartitionRegistration]
) -> MetadataResponsePartition:
    index, partition = numbered
    result = MetadataResponsePartition(**partition_facts(index, partition, nodes.reachable))
    if result.leader_id == NO_LEADER:
        is_hidden = partition.leader in nodes.alive and version >= _LISTENER_NOT_FOUND_SINCE
        result.error_code = (
            ErrorCode.LISTENER_NOT_FOUND if is_hidden else ErrorCode.LEADER_NOT_AVAILABLE
        )
    if version <= _ALIVE_ONLY_UNTIL:
        _omit_offline_replicas(result)
    return result


def _omit_offline_replicas(partition: MetadataResponsePartition) -> None:
    offline = set(partition.offline_replicas)
    partition.replica_nodes = [node for node in partition.replica_nodes if node not in offline]
    partition.isr_nodes = [node for node in partition.isr_nodes if node not in offline]
    if partition.offline_replicas and partition.error_code == ErrorCode.NONE:
        partition.error_code = ErrorCode.REPLICA_NOT_AVAILABLE
