"""OffsetDelete: deletes offsets that a group has committed (KIP-496).

Behaviour: topics that members of the group subscribe to, or that the client may not read, are
refused. A partition without a committed offset has no error; one that does not exist has
UNKNOWN_TOPIC_OR_PARTITION. A topic without partitions is in the response only if it does not exist
or may not be read. The response is sent when the deletion is replicated.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

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
    known: list[list[TopicPartition]] = []  # of each topic in the request
    for topic in body.topics:
        partitions = yield from _known(request, topic, topic.name in hidden, refused)
        if partitions:
            known.append(partitions)
    try:
        errors = yield from _delete(request, [each for partitions in known for each in partitions])
    except ApiError as error:
        return _refusal(error.code)
    response = OffsetDeleteResponse(topics=_merged(refused, known, errors))
    return when_replicated(request, body.group_id, response, _refusal)


def _known(
    request: Request[OffsetDeleteRequest],
    topic: OffsetDeleteRequestTopic,
    is_hidden: bool,
    refused: _Results,
) -> Slices[list[TopicPartition]]:
    """The partitions that exist and may be read; the errors of the others go to *refused*."""
    image = request.services.image.topic(topic.name)
    error = READ_TOPIC.error_code if is_hidden else ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    count = 0 if is_hidden or image is None else len(image.partitions)
    if not count:
        refused.topic(topic.name)
    yield None
    known = []
    for partition in topic.partitions:
        index = partition.partition_index
        if 0 <= index < count:
            known.append(TopicPartition(topic.name, index))
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


def _merged(
    refused: _Results,
    known: Iterable[list[TopicPartition]],
    errors: Mapping[TopicPartition, ErrorCode],
) -> list[OffsetDeleteResponseTopic]:
    """The topics of a response: those of the coordinator are added to those with errors.

    Without the latter, as in Kafka, a topic that is named twice has two results.
    """
    if refused.is_empty:
        return [_deleted(partitions, errors) for partitions in known]
    for partitions in known:
        refused.topic(partitions[0].topic).partitions += _deleted(partitions, errors).partitions
    return refused.topics


def _deleted(
    partitions: list[TopicPartition], errors: Mapping[TopicPartition, ErrorCode]
) -> OffsetDeleteResponseTopic:
    return OffsetDeleteResponseTopic(
        name=partitions[0].topic,
        partitions=[
            OffsetDeleteResponsePartition(partition_index=each.partition, error_code=errors[each])
            for each in partitions
        ],
    )


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
