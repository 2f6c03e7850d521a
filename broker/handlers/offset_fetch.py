"""OffsetFetch: what groups have committed.

Behaviour: for a list of partitions, or for all of a group (topics null); a partition without a
committed offset, and a group that does not exist, are answered with offset -1 and no error. Offsets
are stored when they are acknowledged, so ``require_stable`` (v7+) has nothing to wait for until
transactions commit offsets. The member id and epoch of v9+ only matter to the consumer protocol of
KIP-848.

Versions: 2 null for all topics and a top-level error, 5 leader epochs, 7 require_stable, 8 many
groups, 9 member epochs, 10 topic ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar
from uuid import UUID

from broker.groups.offset_store import OffsetAndMetadata
from broker.request import Request
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)

_MANY_GROUPS_SINCE = 8
_TOPIC_IDS_SINCE = 10
_NOTHING_COMMITTED = OffsetAndMetadata(-1)
_NO_TOPIC_ID = UUID(int=0)

Offsets = Mapping[TopicPartition, OffsetAndMetadata]
Partition = TypeVar("Partition", OffsetFetchResponsePartition, OffsetFetchResponsePartitions)


def offset_fetch(request: Request[OffsetFetchRequest]) -> OffsetFetchResponse:
    """Look up what was asked for."""
    body = request.body
    if request.version >= _MANY_GROUPS_SINCE:
        groups = [_group(request, each) for each in body.groups]
        return OffsetFetchResponse(topics=[], groups=groups)
    offsets = request.node.groups.offsets.fetch(body.group_id)
    asked: Iterable[tuple[str, Iterable[int]]]
    if body.topics is None:
        asked = _all_partitions(offsets)
    else:
        asked = [(topic.name, topic.partition_indexes) for topic in body.topics]
    topics = [
        OffsetFetchResponseTopic(
            name=name,
            partitions=_partitions(OffsetFetchResponsePartition, offsets, name, indexes),
        )
        for name, indexes in asked
    ]
    return OffsetFetchResponse(topics=topics, groups=[])


def _group(
    request: Request[OffsetFetchRequest], asked: OffsetFetchRequestGroup
) -> OffsetFetchResponseGroup:
    offsets = request.node.groups.offsets.fetch(asked.group_id)
    by_id = request.version >= _TOPIC_IDS_SINCE
    if asked.topics is None:
        topics = _all_topics(request, offsets, by_id=by_id)
    else:
        topics = [_topic(request, offsets, each, by_id=by_id) for each in asked.topics]
    return OffsetFetchResponseGroup(group_id=asked.group_id, topics=topics)


def _all_topics(
    request: Request[OffsetFetchRequest], offsets: Offsets, *, by_id: bool
) -> list[OffsetFetchResponseTopics]:
    """Everything the group has committed; by id only topics that exist can be named."""
    topics = []
    for name, indexes in _all_partitions(offsets):
        topic_id = _NO_TOPIC_ID
        if by_id:
            topic = request.node.controller.topic(name)
            if topic is None:
                continue
            topic_id = topic.topic_id
        partitions = _partitions(OffsetFetchResponsePartitions, offsets, name, indexes)
        topics.append(
            OffsetFetchResponseTopics(name=name, topic_id=topic_id, partitions=partitions)
        )
    return topics


def _topic(
    request: Request[OffsetFetchRequest],
    offsets: Offsets,
    asked: OffsetFetchRequestTopics,
    *,
    by_id: bool,
) -> OffsetFetchResponseTopics:
    name, error = asked.name, ErrorCode.NONE
    if by_id:
        topic = request.node.controller.topic_by_id(asked.topic_id)
        if topic is None:
            error = ErrorCode.UNKNOWN_TOPIC_ID
        else:
            name = topic.name
    partitions = _partitions(
        OffsetFetchResponsePartitions, {} if error else offsets, name, asked.partition_indexes
    )
    for partition in partitions:
        partition.error_code = error
    return OffsetFetchResponseTopics(name=name, topic_id=asked.topic_id, partitions=partitions)


def _all_partitions(offsets: Offsets) -> Iterable[tuple[str, Iterable[int]]]:
    indexes: dict[str, list[int]] = {}
    for partition in offsets:
        indexes.setdefault(partition.topic, []).append(partition.partition)
    return indexes.items()


def _partitions(
    cls: type[Partition], offsets: Offsets, topic: str, indexes: Iterable[int]
) -> list[Partition]:
    partitions = []
    for index in indexes:
        committed = offsets.get(TopicPartition(topic, index), _NOTHING_COMMITTED)
        partitions.append(
            cls(
                partition_index=index,
                committed_offset=committed.offset,
                committed_leader_epoch=committed.leader_epoch,
                metadata=committed.metadata,
            )
        )
    return partitions
