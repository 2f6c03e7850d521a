"""OffsetCommit: a group says how far it has read each partition.

Behaviour: partitions that do not exist are refused one by one, the rest is put to the group, which
may refuse all of that. Answered when stored.

Versions: 2 to 4 a retention of their own, 6 leader epochs, 7 static members (KIP-345), 9 member
epochs and GROUP_ID_NOT_FOUND where older ones are told ILLEGAL_GENERATION, 10 topic ids.
"""

from __future__ import annotations

from collections.abc import Sequence

from broker.groups.offset_metadata_manager import Commit, OffsetCommit
from broker.handlers.parked import Parked
from broker.request import Request
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
    OffsetCommitResponsePartition,
    OffsetCommitResponseTopic,
)

_GROUP_ID_NOT_FOUND_SINCE = 9
_TOPIC_IDS_SINCE = 10


def offset_commit(request: Request[OffsetCommitRequest]) -> OffsetCommitResponse | None:
    """Commit what exists."""
    body = request.body
    response = OffsetCommitResponse(topics=[])
    commits: list[Commit] = []
    answers: list[OffsetCommitResponsePartition] = []
    for topic in body.topics:
        _add_topic(request, topic, response, commits, answers)
    if not commits:
        return response
    commit = OffsetCommit(
        group_id=body.group_id,
        generation_id=body.generation_id_or_member_epoch,
        member_id=body.member_id,
        group_instance_id=body.group_instance_id,
        retention_ms=body.retention_time_ms,
        knows_group_id_not_found=request.version >= _GROUP_ID_NOT_FOUND_SINCE,
        commits=commits,
    )

    def committed(errors: Sequence[ErrorCode]) -> OffsetCommitResponse:
        for answer, error in zip(answers, errors, strict=True):
            answer.error_code = error
        return response

    request.node.groups.offsets.commit(commit, Parked(request, committed))
    return None


def _add_topic(
    request: Request[OffsetCommitRequest],
    asked: OffsetCommitRequestTopic,
    response: OffsetCommitResponse,
    commits: list[Commit],
    answers: list[OffsetCommitResponsePartition],
) -> None:
    """Begin a topic's answer, and collect what there is to commit and where its error goes."""
    controller = request.node.controller
    if request.version >= _TOPIC_IDS_SINCE:
        topic = controller.topic_by_id(asked.topic_id)
        unknown = ErrorCode.UNKNOWN_TOPIC_ID
    else:
        topic = controller.topic(asked.name)
        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    partitions = []
    for partition in asked.partitions:
        index = partition.partition_index
        answer = OffsetCommitResponsePartition(partition_index=index)
        partitions.append(answer)
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
                )
            )
    response.topics.append(
        OffsetCommitResponseTopic(name=asked.name, topic_id=asked.topic_id, partitions=partitions)
    )
