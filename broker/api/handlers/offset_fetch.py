"""OffsetFetch: the offsets that groups have committed.

Behaviour: the response has the listed partitions, or all of a group (topics null). A partition
without a committed offset, and a group that does not exist, have offset -1 and no error. Committed
offsets are replicated; ``require_stable`` (v7+) waits for those that are not replicated yet. With
it, a partition with an offset in an open transaction is UNSTABLE_OFFSET_COMMIT (KIP-447): the
response does not wait for the end of the transaction. A member of a consumer group must send its
epoch.

Versions: 2 null for all topics and a top-level error, 5 leader epochs, 7 require_stable, 8 many
groups, 9 member epochs, 10 topic ids.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeVar
from uuid import UUID

from broker.api.handlers.replicated import when_all_replicated
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.groups.offsets import OffsetAndMetadata, Offsets
from broker.steps.queue import Slices, finish
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
from protocol.schema import ZERO_UUID

_TOP_LEVEL_ERROR_SINCE = 2
_MANY_GROUPS_SINCE = 8
_TOPIC_IDS_SINCE = 10
_NOTHING_COMMITTED = OffsetAndMetadata(-1)

Partition = TypeVar("Partition", OffsetFetchResponsePartition, OffsetFetchResponsePartitions)


class _Fetched(NamedTuple):
    """The offsets of a group, and its unstable partitions if they are not to be fetched."""

    offsets: Offsets
    unstable: AbstractSet[TopicPartition]


def offset_fetch(request: Request[OffsetFetchRequest]) -> Slices[OffsetFetchResponse | Outcome]:
    """Return the committed offsets, now or when they are stable."""
    body = request.body
    if not body.require_stable:
        return (yield from _response(request))
    is_many = request.version >= _MANY_GROUPS_SINCE
    names = {group.group_id for group in body.groups} if is_many else {body.group_id}
    if all(map(request.services.groups.runtime.is_replicated, names)):
        return (yield from _response(request))
    return when_all_replicated(request, names, lambda _: finish(_response(request)))


def _response(request: Request[OffsetFetchRequest]) -> Slices[OffsetFetchResponse]:
    body = request.body
    if request.version >= _MANY_GROUPS_SINCE:
        groups = []
        for requested_group in body.groups:
            group = yield from _group(request, requested_group)
            groups.append(group)
        return OffsetFetchResponse(topics=[], groups=groups)
    error, fetched = ErrorCode.NONE, _Fetched({}, frozenset())
    try:
        fetched = _fetch(request, body.group_id)
    except ApiError as refused:
        error = refused.code
    if error and request.version >= _TOP_LEVEL_ERROR_SINCE:
        return OffsetFetchResponse(topics=[], error_code=error, groups=[])
    requested: Iterable[tuple[str, Iterable[int]]]
    if body.topics is None:
        requested = _all_partitions(fetched.offsets)
    else:
        requested = [(topic.name, topic.partition_indexes) for topic in body.topics]
    topics = []
    for name, indexes in requested:
        partitions = yield from _partitions(
            OffsetFetchResponsePartition, fetched, name, indexes, error
        )
        topics.append(OffsetFetchResponseTopic(name=name, partitions=partitions))
    return OffsetFetchResponse(topics=topics, groups=[])


def _group(
    request: Request[OffsetFetchRequest], requested: OffsetFetchRequestGroup
) -> Slices[OffsetFetchResponseGroup]:
    try:
        fetched = _fetch(request, requested.group_id, requested.member_id, requested.member_epoch)
    except ApiError as error:
        return OffsetFetchResponseGroup(
            group_id=requested.group_id, topics=[], error_code=error.code
        )
    by_id = request.version >= _TOPIC_IDS_SINCE
    if requested.topics is None:
        topics = yield from _all_topics(request, fetched, by_id=by_id)
    else:
        topics = []
        for each in requested.topics:
            topic = yield from _topic(request, fetched, each, by_id=by_id)
            topics.append(topic)
    return OffsetFetchResponseGroup(group_id=requested.group_id, topics=topics)


def _fetch(
    request: Request[OffsetFetchRequest],
    group_id: str,
    member_id: str | None = None,
    member_epoch: int = -1,
) -> _Fetched:
    manager = request.services.groups.offsets
    offsets = manager.fetch(group_id, member_id, member_epoch)
    unstable = manager.unstable(group_id) if request.body.require_stable else frozenset()
    return _Fetched(offsets, unstable)


def _all_topics(
    request: Request[OffsetFetchRequest], fetched: _Fetched, *, by_id: bool
) -> Slices[list[OffsetFetchResponseTopics]]:
    """All committed offsets of the group; by id only topics that exist can be named."""
    topics = []
    for name, indexes in _all_partitions(fetched.offsets):
        topic_id = ZERO_UUID
        if by_id:
            topic = request.services.image.topic(name)
            if topic is None:
                continue
            topic_id = topic.topic_id
        partitions = yield from _partitions(
            OffsetFetchResponsePartitions, fetched, name, indexes, topic_id=topic_id
        )
        topics.append(
            OffsetFetchResponseTopics(name=name, topic_id=topic_id, partitions=partitions)
        )
    return topics


def _topic(
    request: Request[OffsetFetchRequest],
    fetched: _Fetched,
    requested: OffsetFetchRequestTopics,
    *,
    by_id: bool,
) -> Slices[OffsetFetchResponseTopics]:
    name, error = requested.name, ErrorCode.NONE
    if by_id:
        topic = request.services.image.topic_by_id(requested.topic_id)
        if topic is None:
            error = ErrorCode.UNKNOWN_TOPIC_ID
        else:
            name = topic.name
    partitions = yield from _partitions(
        OffsetFetchResponsePartitions,
        fetched,
        name,
        requested.partition_indexes,
        error,
        topic_id=requested.topic_id,
    )
    return OffsetFetchResponseTopics(name=name, topic_id=requested.topic_id, partitions=partitions)


def _all_partitions(offsets: Offsets) -> Iterable[tuple[str, Iterable[int]]]:
    indexes: dict[str, list[int]] = {}
    for partition in offsets:
        indexes.setdefault(partition.topic, []).append(partition.partition)
    return indexes.items()


def _partitions(
    cls: type[Partition],
    fetched: _Fetched,
    topic: str,
    indexes: Iterable[int],
    error: ErrorCode = ErrorCode.NONE,
    *,
    topic_id: UUID = ZERO_UUID,
) -> Slices[list[Partition]]:
    """The committed offsets of a topic, except those of a deleted topic of the same name."""
    partitions = []
    for index in indexes:
        partition = TopicPartition(topic, index)
        committed = fetched.offsets.get(partition, _NOTHING_COMMITTED)
        ids = {topic_id, committed.topic_id} - {ZERO_UUID}
        is_unstable = not error and partition in fetched.unstable
        if error or is_unstable or len(ids) > 1:
            committed = _NOTHING_COMMITTED
        partitions.append(
            cls(
                partition_index=index,
                committed_offset=committed.offset,
                committed_leader_epoch=committed.leader_epoch,
                metadata=committed.metadata,
                error_code=ErrorCode.UNSTABLE_OFFSET_COMMIT if is_unstable else error,
            )
        )
        yield None
    return partitions
