"""OffsetFetch: the offsets that groups have committed.

Behaviour: the response has the listed partitions, or all of a group (topics null). A partition
without a committed offset, and a group that does not exist, have offset -1 and no error. Committed
offsets are replicated; ``require_stable`` (v7+) waits for those that are not replicated yet, at
most ``offsets.commit.timeout.ms``; after that the group's error is NOT_COORDINATOR. With it, a
partition with an offset in an open transaction is UNSTABLE_OFFSET_COMMIT (KIP-447): the
response does not wait for the end of the transaction. A member of a consumer group must send its
epoch. Named topics that the client may not describe come after the others, and so do unknown ids;
a response with all topics omits them.

Versions: 2 null for all topics and a top-level error, 5 leader epochs, 7 require_stable, 8 many
groups, 9 member epochs, 10 topic ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple, TypeVar
from uuid import UUID

from broker.api.authorization.check import DESCRIBE_GROUP, DESCRIBE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.handlers.groups.replicated import when_all_replicated
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition, by_topic
from broker.controller.metadata.image import MetadataImage
from broker.groups.offset_and_metadata import OffsetAndMetadata, Offsets
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
# The error of a group whose offsets do not become stable in time.
_NOT_STABLE = ErrorCode.NOT_COORDINATOR
_NOTHING_COMMITTED = OffsetAndMetadata(-1)

Partition = TypeVar("Partition", OffsetFetchResponsePartition, OffsetFetchResponsePartitions)


class _Fetched(NamedTuple):
    """The offsets of a group, and its unstable partitions if they are not to be fetched."""

    offsets: Offsets
    unstable: AbstractSet[TopicPartition]


def offset_fetch(request: Request[OffsetFetchRequest]) -> Slices[OffsetFetchResponse | Outcome]:
    """Return the committed offsets, now or when they are stable."""
    body = request.body
    is_many = request.version >= _MANY_GROUPS_SINCE
    names = [group.group_id for group in body.groups] if is_many else [body.group_id]
    hidden = yield from unauthorized(request, DESCRIBE_GROUP, names)
    refused = dict.fromkeys(hidden, DESCRIBE_GROUP.error_code)
    if not body.require_stable:
        return (yield from _response(request, refused))
    awaited = set(names) - hidden
    if all(map(request.services.groups.runtime.is_replicated, awaited)):
        return (yield from _response(request, refused))

    def when_stable(ended: Mapping[str, ErrorCode]) -> OffsetFetchResponse:
        # Consumers ask for the coordinator again and repeat the request after this error only.
        failed = [name for name, error in ended.items() if error is not ErrorCode.NONE]
        return finish(_response(request, refused | dict.fromkeys(failed, _NOT_STABLE)))

    return when_all_replicated(request, awaited, when_stable)


def _response(
    request: Request[OffsetFetchRequest], refused: Mapping[str, ErrorCode]
) -> Slices[OffsetFetchResponse]:
    """The response, with the errors of the groups *refused*."""
    body = request.body
    if request.version >= _MANY_GROUPS_SINCE:
        groups = []
        for requested_group in body.groups:
            if requested_group.group_id in refused:
                group = _refused(requested_group, refused[requested_group.group_id])
            else:
                group = yield from _group(request, requested_group)
            groups.append(group)
        return OffsetFetchResponse(topics=[], groups=groups)
    return (yield from _response_of_one(request, refused))


def _response_of_one(
    request: Request[OffsetFetchRequest], refused: Mapping[str, ErrorCode]
) -> Slices[OffsetFetchResponse]:
    """The response in versions with one group."""
    body = request.body
    try:
        if body.group_id in refused:
            raise ApiError(refused[body.group_id])
        fetched = _fetch(request, body.group_id)
    except ApiError as error:
        if request.version >= _TOP_LEVEL_ERROR_SINCE:
            return OffsetFetchResponse(topics=[], error_code=error.code, groups=[])
        topics = yield from _topics_of_one(request, _Fetched({}, frozenset()), error.code)
    else:
        topics = yield from _topics_of_one(request, fetched, ErrorCode.NONE)
    return OffsetFetchResponse(topics=topics, groups=[])


def _topics_of_one(
    request: Request[OffsetFetchRequest], fetched: _Fetched, error: ErrorCode
) -> Slices[list[OffsetFetchResponseTopic]]:
    """The topics, each with the error of the group, if it has one."""
    topics = request.body.topics
    requested: Iterable[tuple[str, Iterable[int]]]
    if topics is None:
        requested = by_topic(fetched.offsets).items()
    else:
        requested = [(topic.name, topic.partition_indexes) for topic in topics]
    hidden: AbstractSet[str] = frozenset()
    if not error:
        names = (name for name, _ in requested)
        hidden = yield from _hidden_topics(request, names, is_all=topics is None)
    found, refused = list[OffsetFetchResponseTopic](), list[OffsetFetchResponseTopic]()
    for name, indexes in requested:
        is_hidden = name in hidden
        if is_hidden and topics is None:
            continue
        topic_error = DESCRIBE_TOPIC.error_code if is_hidden else error
        partitions = yield from _partitions(
            OffsetFetchResponsePartition, fetched, name, indexes, topic_error
        )
        topic = OffsetFetchResponseTopic(name=name, partitions=partitions)
        (refused if is_hidden else found).append(topic)
    return found + refused


def _hidden_topics(
    request: Request[OffsetFetchRequest], names: Iterable[str], *, is_all: bool
) -> Slices[AbstractSet[str]]:
    return unauthorized(request, DESCRIBE_TOPIC, names, is_refusal_logged=not is_all)


def _refused(requested: OffsetFetchRequestGroup, error: ErrorCode) -> OffsetFetchResponseGroup:
    return OffsetFetchResponseGroup(group_id=requested.group_id, topics=[], error_code=error)


def _group(
    request: Request[OffsetFetchRequest], requested: OffsetFetchRequestGroup
) -> Slices[OffsetFetchResponseGroup]:
    try:
        fetched = _fetch(request, requested.group_id, requested.member_id, requested.member_epoch)
    except ApiError as error:
        return _refused(requested, error.code)
    by_id = request.version >= _TOPIC_IDS_SINCE
    if requested.topics is None:
        topics = yield from _all_topics(request, fetched, by_id=by_id)
    else:
        topics = yield from _named_topics(request, fetched, requested.topics, by_id=by_id)
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
    committed = by_topic(fetched.offsets)
    hidden = yield from _hidden_topics(request, committed, is_all=True)
    for name, indexes in committed.items():
        if name in hidden:
            continue
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


def _named_topics(
    request: Request[OffsetFetchRequest],
    fetched: _Fetched,
    requested: Sequence[OffsetFetchRequestTopics],
    *,
    by_id: bool,
) -> Slices[list[OffsetFetchResponseTopics]]:
    """The topics without errors, and then the others."""
    image = request.services.image
    found: list[OffsetFetchResponseTopics] = []
    refused: list[OffsetFetchResponseTopics] = []
    named = [(_name(image, each) if by_id else each.name, each) for each in requested]
    names = (name for name, _ in named if name is not None)
    hidden = yield from _hidden_topics(request, names, is_all=False)
    for name, each in named:
        error = ErrorCode.NONE
        if name is None:
            error = ErrorCode.UNKNOWN_TOPIC_ID
        elif name in hidden:
            error = DESCRIBE_TOPIC.error_code
        topic = yield from _topic(fetched, name or "", each, error)
        (refused if error else found).append(topic)
    return found + refused


def _name(image: MetadataImage, requested: OffsetFetchRequestTopics) -> str | None:
    topic = image.topic_by_id(requested.topic_id)
    return None if topic is None else topic.name


def _topic(
    fetched: _Fetched, name: str, requested: OffsetFetchRequestTopics, error: ErrorCode
) -> Slices[OffsetFetchResponseTopics]:
    partitions = yield from _partitions(
        OffsetFetchResponsePartitions,
        fetched,
        name,
        requested.partition_indexes,
        error,
        topic_id=requested.topic_id,
    )
    return OffsetFetchResponseTopics(name=name, topic_id=requested.topic_id, partitions=partitions)


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
