"""OffsetDelete: deletes offsets that a group has committed (KIP-496).

Behaviour: topics that members of the group subscribe to, or that the client may not read, are
refused. A partition without a committed offset has no error; one that does not exist has
UNKNOWN_TOPIC_OR_PARTITION. A topic without partitions is in the response only if it does not exist
or may not be read. The response is sent when the deletion is replicated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

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
    OffsetDeleteRequestTopic,
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
    hidden = yield from unauthorized(request, READ_TOPIC, (topic.name for topic in body.topics))
    refused = _Results()
    known: list[_Known] = []  # of each topic in the request
    for topic in body.topics:
        found = yield from _known(request, topic, topic.name in hidden, refused)
        if found.partitions:
            known.append(found)
    response = OffsetDeleteResponse(topics=_merged(refused, known))
    try:
        errors = yield from _delete(request, [each for found in known for each in found.partitions])
    except ApiError as error:
        return _refusal(error.code)
    for found in known:
        found.set_errors(errors)
    return when_replicated(request, body.group_id, response, _refusal)


class _Known(NamedTuple):
    """The partitions of a topic whose offsets are deleted, and their results, without errors yet.

    The results are made before, because the deletion and its response are one step.
    """

    partitions: list[TopicPartition]
    results: list[OffsetDeleteResponsePartition]

    def set_errors(self, errors: Mapping[TopicPartition, ErrorCode]) -> None:
        for partition, result in zip(self.partitions, self.results, strict=True):
            result.error_code = errors[partition]


def _known(
    request: Request[OffsetDeleteRequest],
    topic: OffsetDeleteRequestTopic,
    is_hidden: bool,
    refused: _Results,
) -> Slices[_Known]:
    """The partitions that exist and may be read; the errors of the others go to *refused*."""
    image = request.services.image.topic(topic.name)
    error = READ_TOPIC.error_code if is_hidden else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    count = 0 if is_hidden or image is None else len(image.partitions)
    if not count:
        refused.topic(topic.name)
    yield None
    known = _Known([], [])
    for partition in topic.partitions:
        index = partition.partition_index
        if 0 <= index < count:
            known.partitions.append(TopicPartition(topic.name, index))
            result = OffsetDeleteResponsePartition(partition_index=index, error_code=ErrorCode.NONE)
            known.results.append(result)
        else:
            refused.add(topic.name, index, error)
        yield None
    return known


def _delete(
    request: Request[OffsetDeleteRequest], partitions: list[TopicPartition]
) -> Slices[dict[TopicPartition, ErrorCode]]:
    """Delete offsets; the tombstones of many are encoded in slices. Raises `ApiError`."""
    offsets, group_id = request.services.groups.offsets, request.body.group_id
    prepared = None
    if len(partitions) > ITEMS_AT_ONCE:
        prepared = yield from offsets.prepare_deletion(group_id, partitions)
    return offsets.delete(group_id, partitions, prepared)


def _merged(refused: _Results, known: Iterable[_Known]) -> list[OffsetDeleteResponseTopic]:
    """The topics of a response: those of the coordinator are added to those with errors.

    Without the latter, as in Kafka, a topic that is named twice has two results.
    """
    if refused.is_empty:
        return [
            OffsetDeleteResponseTopic(name=each.partitions[0].topic, partitions=each.results)
            for each in known
        ]
    for each in known:
        refused.topic(each.partitions[0].topic).partitions += each.results
    return refused.topics


class _Results:
    """Results by topic, in the order of the first one of each."""

    def __init__(self) -> None:
        self._topics: dict[str, OffsetDeleteResponseTopic] = {}

    @property
    def is_empty(self) -> bool:
        return not self._topics

    @property
    def topics(self) -> list[OffsetDeleteResponseTopic]:
        return list(self._topics.values())

    def topic(self, name: str) -> OffsetDeleteResponseTopic:
        """The results of a topic, which are empty at first."""
        return self._topics.setdefault(name, OffsetDeleteResponseTopic(name=name, partitions=[]))

    def add(self, name: str, index: int, error: ErrorCode) -> None:
        result = OffsetDeleteResponsePartition(partition_index=index, error_code=error)
        self.topic(name).partitions.append(result)


def _refusal(error: ErrorCode) -> OffsetDeleteResponse:
    return OffsetDeleteResponse(error_code=error, topics=[])
