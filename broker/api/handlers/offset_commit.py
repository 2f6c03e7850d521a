"""OffsetCommit: a group commits the offset it has reached in each partition.

Behaviour: partitions that do not exist, and topics that the client may not read, are refused
separately; the group commits or refuses all others together. The response is sent when the commit
is replicated.

Versions: 2 to 4 a retention time, 6 leader epochs, 7 static members (KIP-345), 9 member epochs, and
GROUP_ID_NOT_FOUND instead of ILLEGAL_GENERATION, 10 topic ids.
"""

from __future__ import annotations

from typing import Final

from broker.api.authorization.check import READ_GROUP, READ_TOPIC
from broker.api.authorization.checks import is_authorized, require
from broker.api.handlers.replicated import when_replicated
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import topic_partition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

_TOPIC_IDS_SINCE: Final = 10


def offset_commit(
    request: Request[OffsetCommitRequest],
) -> OffsetCommitResponse | Outcome | Slices[OffsetCommitResponse | Outcome]:
    """Commit the offsets of all partitions that exist: of a few at once, of many in slices."""
    partitions = 0
    for topic in request.body.topics:
        partitions += len(topic.partitions)
    slices = _commit(request)
    return slices if partitions > ITEMS_AT_ONCE else finish(slices)


def _commit(request: Request[OffsetCommitRequest]) -> Slices[OffsetCommitResponse | Outcome]:
    body = request.body
    require(request, READ_GROUP, body.group_id)
    response = OffsetCommitResponse(topics=[])
    commits: list[Commit] = []
    committed: list[OffsetCommitResponsePartition] = []
    for topic in body.topics:
        yield from _add_topic(request, topic, response, commits, committed)
    if not commits:
        return response
    commit = OffsetCommit(
        group_id=body.group_id,
        generation_id_or_member_epoch=body.generation_id_or_member_epoch,
        member_id=body.member_id,
        group_instance_id=body.group_instance_id,
        retention_ms=body.retention_time_ms,
        api_version=request.version,
        commits=commits,
    )

    def refuse(error: ErrorCode) -> OffsetCommitResponse:
        for response_partition in committed:
            response_partition.error_code = error
        return response

    try:
        errors = request.services.groups.offsets.commit(commit)
    except ApiError as error:
        return refuse(error.code)
    for response_partition, error_code in zip(committed, errors, strict=True):
        response_partition.error_code = error_code
    return when_replicated(request, body.group_id, response, refuse)


def _add_topic(
    request: Request[OffsetCommitRequest],
    requested: OffsetCommitRequestTopic,
    response: OffsetCommitResponse,
    commits: list[Commit],
    committed: list[OffsetCommitResponsePartition],
) -> Slices[None]:
    """Add a topic to *response*; add its commits, and their parts of the response, to the lists."""
    image = request.services.image
    if request.version >= _TOPIC_IDS_SINCE:
        topic = image.topic_by_id(requested.topic_id)
        name = None if topic is None else topic.name
    else:
        topic = image.topic(requested.name)
        name = requested.name
    error = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if name is None:
        error = ErrorCode.UNKNOWN_TOPIC_ID
    elif not is_authorized(request, READ_TOPIC, name):
        topic, error = None, READ_TOPIC.error_code
    partitions = []
    for partition in requested.partitions:
        index = partition.partition_index
        response_partition = OffsetCommitResponsePartition(partition_index=index)
        partitions.append(response_partition)
        yield None
        if topic is None:
            response_partition.error_code = error
        elif not 0 <= index < len(topic.partitions):
            response_partition.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        else:
            committed.append(response_partition)
            commits.append(
                Commit(
                    topic_partition(topic.name, index),
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    partition.committed_metadata,
                    topic.topic_id,
                )
            )
    response.topics.append(
        OffsetCommitResponseTopic(
            name=requested.name, topic_id=requested.topic_id, partitions=partitions
        )
    )
