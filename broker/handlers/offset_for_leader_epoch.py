"""OffsetForLeaderEpoch: where an epoch ends in the leader's log.

A reader compares it with where it stands, and sees whether what it has read was lost (KIP-320).

Behaviour: the largest epoch that is not above the one asked for, and the offset where it ends; -1
and -1 if that is unknown. Consumers are told up to the log end too, as in Kafka.
"""

from __future__ import annotations

from broker.errors import ApiError
from broker.request import Request
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopicResult,
)


def offset_for_leader_epoch(
    request: Request[OffsetForLeaderEpochRequest],
) -> OffsetForLeaderEpochResponse:
    """Where each epoch asked for ends."""
    return OffsetForLeaderEpochResponse(
        topics=[
            OffsetForLeaderTopicResult(
                topic=topic.topic,
                partitions=[
                    _find(request, TopicPartition(topic.topic, asked.partition), asked)
                    for asked in topic.partitions
                ],
            )
            for topic in request.body.topics
        ]
    )


def _find(
    request: Request[OffsetForLeaderEpochRequest],
    key: TopicPartition,
    asked: OffsetForLeaderPartition,
) -> EpochEndOffset:
    try:
        partition = request.node.replicas.partitions.find(key)
        partition.check_leader(asked.current_leader_epoch)
    except ApiError as error:
        return EpochEndOffset(partition=key.partition, error_code=error.code)
    epoch, end_offset = partition.log.end_offset_for_epoch(asked.leader_epoch)
    return EpochEndOffset(
        partition=key.partition,
        error_code=ErrorCode.NONE,
        leader_epoch=epoch,
        end_offset=end_offset,
    )
