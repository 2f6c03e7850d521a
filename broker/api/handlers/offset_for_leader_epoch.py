"""OffsetForLeaderEpoch: where an epoch ends in the leader's log.

A reader compares it with where it stands, and sees whether what it has read was lost (KIP-320).

Behaviour: the largest epoch that is not above the one asked for, and the offset where it ends; -1
and -1 if that is unknown. Consumers are told up to the log end too, as in Kafka.
"""

from __future__ import annotations

from functools import partial

from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices, each
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
) -> Slices[OffsetForLeaderEpochResponse]:
    """Where each epoch asked for ends."""
    topics = []
    for topic in request.body.topics:
        partitions = yield from each(partial(_find, request, topic.topic), topic.partitions)
        topics.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=partitions))
        yield None
    return OffsetForLeaderEpochResponse(topics=topics)


def _find(
    request: Request[OffsetForLeaderEpochRequest],
    topic: str,
    asked: OffsetForLeaderPartition,
) -> EpochEndOffset:
    key = TopicPartition(topic, asked.partition)
    try:
        partition = request.services.replicas.partitions.get_or_error(key)
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
