"""DescribeProducers: what a replica of a partition knows of its producers (KIP-664).

Followers respond as well. Without batches, the last sequence number is -1: after a marker with an
epoch of its own, for example. The coordinator epoch is -1 before the first marker, and the start
offset of the current transaction is -1 if none is open. A topic with a valid name that the client
may not read is refused.
"""

from __future__ import annotations

from functools import partial

from broker.api.authorization.check import READ_TOPIC
from broker.api.authorization.checks import require
from broker.api.request import Request
from broker.common.error_messages import message_of
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.topic_names import check_topic_name
from broker.steps.queue import Slices, map_in_slices
from protocol.errors import ErrorCode
from protocol.messages.describe_producers import (
    DescribeProducersRequest,
    DescribeProducersResponse,
    PartitionResponse,
    ProducerState,
    TopicResponse,
)


def describe_producers(
    request: Request[DescribeProducersRequest],
) -> Slices[DescribeProducersResponse]:
    """Describe the producers of each partition."""
    topics = []
    for topic in request.body.topics:
        keys = (TopicPartition(topic.name, index) for index in topic.partition_indexes)
        refusal = _refusal(request, topic.name)
        partitions = yield from map_in_slices(partial(_partition, request, refusal), keys)
        topics.append(TopicResponse(name=topic.name, partitions=partitions))
        yield None
    return DescribeProducersResponse(topics=topics)


def _refusal(request: Request[DescribeProducersRequest], topic: str) -> ApiError | None:
    """The error of all partitions of a topic, or None."""
    try:
        check_topic_name(topic)
        require(request, READ_TOPIC, topic)
    except ApiError as error:
        return error
    if request.services.image.topic(topic) is None:
        code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return ApiError(code, message_of(code))
    return None


def _partition(
    request: Request[DescribeProducersRequest], refusal: ApiError | None, key: TopicPartition
) -> PartitionResponse:
    result = PartitionResponse(partition_index=key.partition, active_producers=[])
    try:
        if refusal is not None:
            raise refusal
        partition = request.services.replicas.partitions.get_or_error(key)
    except ApiError as error:
        result.error_code, result.error_message = error.code, error.message
        return result
    result.active_producers = [
        ProducerState(
            producer_id=entry.producer_id,
            producer_epoch=entry.epoch,
            last_sequence=entry.last_sequence,
            last_timestamp=entry.last_timestamp,
            coordinator_epoch=entry.coordinator_epoch,
            current_txn_start_offset=entry.current_txn_first_offset,
        )
        for entry in partition.log.producer_state_manager.producers.values()
    ]
    return result
