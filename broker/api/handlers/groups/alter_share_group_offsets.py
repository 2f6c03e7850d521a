"""AlterShareGroupOffsets: sets the start offsets of an empty share group (KIP-932).

Behaviour: a group that does not exist is created if one of the topics exists. Any start offset is
accepted; of a partition that is named twice the last one counts. Leaders that have an earlier state
of a share partition are fenced. The response is sent when the share coordinator has responded. It
has the partitions of each topic together, as often as the request names them, unknown topics first,
and no unknown topic without partitions. A negative partition of a known topic fails the whole
request, which then only creates the group.

Versions: only 0.

Deviations: in Kafka, a group of which a negative partition was requested cannot be deleted.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from broker.api.authorization.check import READ_GROUP, READ_TOPIC
from broker.api.authorization.checks import require, unauthorized
from broker.api.handlers.group_wait import ShareCoordinatorWait
from broker.api.handlers.request_checks import require_share_groups
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.error_messages import message_of
from broker.common.errors import ApiError
from broker.share.persister import PersisterResult
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestTopic,
    AlterShareGroupOffsetsResponse,
    AlterShareGroupOffsetsResponsePartition,
    AlterShareGroupOffsetsResponseTopic,
)
from protocol.schema import ZERO_UUID

_UNKNOWN = PersisterResult(
    error=ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    message=message_of(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
)
_Results = dict[tuple[str, int], PersisterResult]


def alter_share_group_offsets(
    request: Request[AlterShareGroupOffsetsRequest],
) -> Slices[AlterShareGroupOffsetsResponse | Outcome]:
    """Set the start offset of each partition."""
    require_share_groups(request)
    body, groups = request.body, request.services.groups
    require(request, READ_GROUP, body.group_id)
    hidden = yield from unauthorized(request, READ_TOPIC, (each.topic_name for each in body.topics))
    refused = PersisterResult(error=READ_TOPIC.refusal.code, message=READ_TOPIC.refusal.message)
    results: _Results = {}
    offsets: dict[str, dict[int, int]] = {}
    for topic in body.topics:
        name, is_hidden = topic.topic_name, topic.topic_name in hidden
        count = 0 if is_hidden else groups.share.topics.partition_count_of(name)
        if count:
            offsets.setdefault(name, {}).update(_starts(topic, count))
        refusal = refused if is_hidden else _UNKNOWN
        for each in topic.partitions:
            if each.partition_index >= count or not count:
                results[name, each.partition_index] = refusal
        yield None
    waiting: list[ResponseCallback[None]] = []
    has_ended: list[_Results] = []

    def response(_: None) -> AlterShareGroupOffsetsResponse:
        return _response(request, hidden, results)

    def on_end(ended: _Results) -> None:
        results.update(ended)
        has_ended.append(ended)
        if waiting:
            waiting[0](None)

    try:
        groups.share.offsets.alter(body.group_id, offsets, on_end)
    except ApiError as error:
        return AlterShareGroupOffsetsResponse(
            error_code=error.code, error_message=error.message, responses=[]
        )
    if has_ended:
        return response(None)
    wait = ShareCoordinatorWait(body.group_id)
    waiting.append(ResponseCallback(request, response, wait))
    return PARKED


def _starts(topic: AlterShareGroupOffsetsRequestTopic, count: int) -> dict[int, int]:
    """The start offsets of those partitions that exist, and of negative ones."""
    return {
        each.partition_index: each.start_offset
        for each in topic.partitions
        if each.partition_index < count
    }


def _response(
    request: Request[AlterShareGroupOffsetsRequest], hidden: AbstractSet[str], results: _Results
) -> AlterShareGroupOffsetsResponse:
    known = request.services.groups.share.topics
    found: dict[str, AlterShareGroupOffsetsResponseTopic] = {}
    refused: dict[str, AlterShareGroupOffsetsResponseTopic] = {}
    for topic in request.body.topics:
        name = topic.topic_name
        topic_id = known.id_of(name)
        partitions = [_partition(each.partition_index, results, name) for each in topic.partitions]
        is_found = topic_id is not None and name not in hidden
        if is_found or partitions:
            empty = AlterShareGroupOffsetsResponseTopic(
                topic_name=name, topic_id=topic_id or ZERO_UUID, partitions=[]
            )
            (found if is_found else refused).setdefault(name, empty).partitions += partitions
    return AlterShareGroupOffsetsResponse(responses=[*refused.values(), *found.values()])


def _partition(index: int, results: _Results, name: str) -> AlterShareGroupOffsetsResponsePartition:
    result = results[name, index]
    return AlterShareGroupOffsetsResponsePartition(
        partition_index=index, error_code=result.error, error_message=result.message
    )
