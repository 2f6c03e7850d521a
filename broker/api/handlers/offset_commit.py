"""OffsetCommit: a group says how far it has read each partition.

Behaviour: partitions that do not exist are refused one by one, the rest is put to the group, which
may refuse all of that. Answered when it is replicated.

Versions: 2 to 4 a retention of their own, 6 leader epochs, 7 static members (KIP-345), 9 member
epochs and GROUP_ID_NOT_FOUND where older ones are told ILLEGAL_GENERATION, 10 topic ids.
"""

from __future__ import annotations

from broker.api.handlers.replicated import when_replicated
from broker.api.outcome import Outcome
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

_TOPIC_IDS_SINCE = 10


def offset_commit(request: Request[OffsetCommitRequest]) -> Slices[OffsetCommitResponse | Outcome]:
    """Commit what exists."""
    body = request.body
    response = OffsetCommitResponse(topics=[])
    commits: list[Commit] = []
    answers: list[OffsetCommitResponsePartition] = []
    for topic in body.topics:
        yield from _add_topic(request, topic, response, commits, answers)
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
        for answer in answers:
            answer.error_code = error
        return response

    try:
        errors = request.services.groups.offsets.commit(commit)
    except ApiError as error:
        return refuse(error.code)
    for answer, error_code in zip(answers, errors, strict=True):
        answer.error_code = error_code
    return when_replicated(request, body.group_id, response, refuse)


def _add_topic(
    request: Request[OffsetCommitRequest],
    asked: OffsetCommitRequestTopic,
    response: OffsetCommitResponse,
    commits: list[Commit],
    answers: list[OffsetCommitResponsePartition],
) -> Slices[None]:
    """Begin a topic's answer, and collect what there is to commit and where its error goes."""
    image = request.services.image
    if request.version >= _TOPIC_IDS_SINCE:
        topic = image.topic_by_id(asked.topic_id)
        unknown = ErrorCode.UNKNOWN_TOPIC_ID
    else:
        topic = image.topic(asked.name)
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    partitions = []
    for partition in asked.partitions:
        index = partition.partition_index
        answer = OffsetCommitResponsePartition(partition_index=index)
        partitions.append(answer)
        yield None
        if topic is None:
            answer.error_code = unknown
        elif not 0 <= index < len(topic.partitions):
            answer.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        else:
            answers.append(answer)
            commits.append(
                Commit(
                    TopicPartition(topic.name, index),
                    partition.committed_offset,
                    partition.committed_leader_epoch,
                    partition.committed_metadata,
                    topic.topic_id,
                )
            )
    response.topics.append(
        OffsetCommitResponseTopic(name=asked.name, topic_id=asked.topic_id, partitions=partitions)
    )
