"""OffsetDelete: deletes offsets that a group has committed (KIP-496).

Behaviour: topics that members of the group subscribe to, or that the client may not read, are
refused. A partition without a
committed offset has no error; one that does not exist has UNKNOWN_TOPIC_OR_PARTITION. The response
is sent when the deletion is replicated.
"""

from __future__ import annotations

from collections.abc import Iterable

from broker.api.authorization.check import DELETE_GROUP, READ_TOPIC
from broker.api.authorization.checks import require, unauthorized
from broker.api.handlers.groups.replicated import when_replicated
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetDeleteResponsePartition,
    OffsetDeleteResponseTopic,
)


def offset_delete(request: Request[OffsetDeleteRequest]) -> Slices[OffsetDeleteResponse | Outcome]:
    """Delete the committed offset of each partition."""
    body = request.body
    require(request, DELETE_GROUP, body.group_id)
    if not body.group_id:
        return _refusal(ErrorCode.INVALID_GROUP_ID)
    requested = [
        TopicPartition(topic.name, partition.partition_index)
        for topic in body.topics
        for partition in topic.partitions
    ]
    hidden = yield from unauthorized(request, READ_TOPIC, (topic.name for topic in body.topics))
    known, outcomes = list[TopicPartition](), list[tuple[TopicPartition, ErrorCode]]()
    for each in requested:
        if each.topic in hidden:
            outcomes.append((each, READ_TOPIC.error_code))
        elif _exists(request, each):
            known.append(each)
        else:
            outcomes.append((each, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
        yield None
    try:
        errors = yield from _delete(request, known)
    except ApiError as error:
        return _refusal(error.code)
    outcomes += [(each, errors[each]) for each in known]
    return when_replicated(request, body.group_id, _response(outcomes), _refusal)


def _delete(
    request: Request[OffsetDeleteRequest], partitions: list[TopicPartition]
) -> Slices[dict[TopicPartition, ErrorCode]]:
    """Delete offsets; the tombstones of many are encoded in slices. Raises `ApiError`."""
    offsets, group_id = request.services.groups.offsets, request.body.group_id
    prepared = None
    if len(partitions) > ITEMS_AT_ONCE:
        prepared = yield from offsets.prepare_deletion(group_id, partitions)
    return offsets.delete(group_id, partitions, prepared)


def _exists(request: Request[OffsetDeleteRequest], partition: TopicPartition) -> bool:
    topic = request.services.image.topic(partition.topic)
    return topic is not None and 0 <= partition.partition < len(topic.partitions)


def _response(outcomes: Iterable[tuple[TopicPartition, ErrorCode]]) -> OffsetDeleteResponse:
    topics: dict[str, OffsetDeleteResponseTopic] = {}
    for (name, index), error in outcomes:
        topic = topics.setdefault(name, OffsetDeleteResponseTopic(name=name, partitions=[]))
        topic.partitions.append(
            OffsetDeleteResponsePartition(partition_index=index, error_code=error)
        )
    return OffsetDeleteResponse(topics=list(topics.values()))


def _refusal(error: ErrorCode) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(error_code=error, topics=[])
