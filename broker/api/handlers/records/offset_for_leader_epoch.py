"""OffsetForLeaderEpoch: the end offset of an epoch in the leader's log.

A consumer or follower compares it with its own position to detect truncation (KIP-320).

Behaviour: the result is the largest epoch that is not above the requested one, and its end offset;
-1 and -1 if that is unknown. As in Kafka, consumers also get offsets above the high watermark.
Topics that the client may not describe come after the others.
"""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from functools import partial

from broker.api.authorization.check import CLUSTER_ACTION, DESCRIBE_TOPIC
from broker.api.authorization.checks import is_authorized, unauthorized
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.offset_for_leader_epoch import (
    EpochEndOffset,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
    OffsetForLeaderTopicResult,
)


def offset_for_leader_epoch(
    request: Request[OffsetForLeaderEpochRequest],
) -> Slices[OffsetForLeaderEpochResponse]:
    """Return the end offset of each requested epoch."""
    requested = request.body.topics
    hidden: AbstractSet[str] = frozenset()
    if not is_authorized(request, CLUSTER_ACTION, is_refusal_logged=False):
        names = (topic.topic for topic in requested)
        hidden = yield from unauthorized(request, DESCRIBE_TOPIC, names)
    topics = []
    for topic in requested:
        if topic.topic not in hidden:
            find = partial(_find, request, topic.topic)
            partitions = yield from map_in_slices(find, topic.partitions)
            topics.append(OffsetForLeaderTopicResult(topic=topic.topic, partitions=partitions))
        yield None
    topics += [_refused(topic) for topic in requested if topic.topic in hidden]
    return OffsetForLeaderEpochResponse(topics=topics)


def _refused(topic: OffsetForLeaderTopic) -> OffsetForLeaderTopicResult:
    error = DESCRIBE_TOPIC.error_code
    partitions = [
        EpochEndOffset(partition=each.partition, error_code=error) for each in topic.partitions
    ]
    return OffsetForLeaderTopicResult(topic=topic.topic, partitions=partitions)


def _find(
    request: Request[OffsetForLeaderEpochRequest],
    topic: str,
    requested: OffsetForLeaderPartition,
) -> EpochEndOffset:
    key = TopicPartition(topic, requested.partition)
    try:
        partition = request.services.replicas.partitions.get_or_error(key)
        partition.check_leader(requested.current_leader_epoch)
    except ApiError as error:
        return EpochEndOffset(partition=key.partition, error_code=error.code)
    epoch, end_offset = partition.log.end_offset_for_epoch(requested.leader_epoch)
    return EpochEndOffset(
        partition=key.partition,
        error_code=ErrorCode.NONE,
        leader_epoch=epoch,
        end_offset=end_offset,
    )
