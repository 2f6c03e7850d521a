"""DeleteRecords: deletes the beginning of partitions, and waits until all replicas have done so.

Behaviour: the leader's log start offset moves at once; the response is sent when every live replica
has moved its own, and contains the smallest log start offset of them all. -1 means the high
watermark. A wait that times out is REQUEST_TIMED_OUT with the low watermark before the wait. A
topic that is only compacted is refused, and so is one that the client may not delete.
"""

from __future__ import annotations

from broker.api.authorization.check import DELETE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition
from broker.replication.replica_manager import DeleteResults
from broker.replication.waits import DeleteRecordsWait
from broker.steps.queue import Slices
from broker.storage.directories.checkpointed_offsets import LOG_STARTS
from protocol.errors import ErrorCode
from protocol.messages.delete_records import (
    DeleteRecordsPartitionResult,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
    DeleteRecordsTopicResult,
)
from purgatories.operations.delayed_delete_records import (
    INVALID_LOW_WATERMARK,
    DeleteRecordsPartitionStatus,
)


def delete_records(
    request: Request[DeleteRecordsRequest],
) -> Slices[DeleteRecordsResponse | Outcome]:
    """Delete the records of each partition, and respond when all replicas have done so."""
    offsets: dict[TopicPartition, int] = {}
    refused: DeleteResults = {}
    topics = request.body.topics
    hidden = yield from unauthorized(request, DELETE_TOPIC, (topic.name for topic in topics))
    for topic in topics:
        for partition in topic.partitions:
            key = TopicPartition(topic.name, partition.partition_index)
            if topic.name in hidden:
                error = DELETE_TOPIC.error_code
            else:
                error = _initial_error(request, key)
            if error:
                refused[key] = DeleteRecordsPartitionStatus(partition.offset, error)
            else:
                offsets[key] = partition.offset
            yield None

    def respond(results: DeleteResults) -> None:
        # Kafka writes this checkpoint within a minute; a crash before that undoes the deletion.
        request.services.logs.checkpoint([LOG_STARTS], offsets)
        if request.observer is not None:
            for key, status in results.items():
                request.observer.add_result(key, status.required_offset, status.error)
        request.respond(_response({**refused, **results}))

    if not offsets:
        return _response(refused)
    operation = yield from request.services.replicas.delete_records(
        request.body.timeout_ms, offsets, respond
    )
    if operation is not None:
        request.park(operation, DeleteRecordsWait(operation, request.services.replicas))
    return PARKED


def _initial_error(request: Request[DeleteRecordsRequest], key: TopicPartition) -> ErrorCode:
    topic = request.services.image.topic(key.topic)
    if topic is None or not 0 <= key.partition < len(topic.partitions):
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    return ErrorCode.INVALID_TOPIC_EXCEPTION if topic.internal else ErrorCode.NONE


def _response(results: DeleteResults) -> DeleteRecordsResponse:
    topics: dict[str, DeleteRecordsTopicResult] = {}
    for key, status in results.items():
        topic = topics.setdefault(
            key.topic, DeleteRecordsTopicResult(name=key.topic, partitions=[])
        )
        failed = status.error not in (ErrorCode.NONE, ErrorCode.REQUEST_TIMED_OUT)
        topic.partitions.append(
            DeleteRecordsPartitionResult(
                partition_index=key.partition,
                low_watermark=INVALID_LOW_WATERMARK if failed else status.low_watermark,
                error_code=status.error,
            )
        )
    return DeleteRecordsResponse(topics=list(topics.values()))
