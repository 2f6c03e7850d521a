"""ListOffsets: the first and last offset of a partition, or the first at or after a timestamp.

Behaviour: a partition that is named twice is refused, once. "Latest" is the high watermark for
consumers, the last stable offset with READ_COMMITTED, and the log end offset for replicas. If no
record is found, timestamp and offset are -1, without an error. Topics that the client may not
describe come after the others, as they are in the request.

Versions: 1 one offset instead of many, 2 isolation level, 4 leader epochs, 5 OFFSET_NOT_AVAILABLE,
7 max timestamp (-3), 8 earliest local (-4), 9 last tiered (-5), 10 a timeout, 11 earliest pending
upload (-6).

Deviations: there is no tiered storage, so -4 is the earliest, and -5 and -6 find nothing.
"""

from __future__ import annotations

from collections import Counter

from broker.api.authorization.check import DESCRIBE_TOPIC
from broker.api.authorization.checks import unauthorized
from broker.api.handlers.request_checks import check_isolation_level
from broker.api.request import Request
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.partition import Partition
from broker.steps.offloaded import offloaded
from broker.steps.queue import Slices
from broker.storage.log.offset_search import search_by_timestamp, search_max_timestamp
from broker.storage.segments.timestamp_search import TimestampAndOffset
from protocol.errors import ErrorCode
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsPartitionResponse,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
    ListOffsetsTopicResponse,
)

LATEST = -1
EARLIEST = -2
MAX_TIMESTAMP = -3
EARLIEST_LOCAL = -4
LATEST_TIERED = -5
EARLIEST_PENDING_UPLOAD = -6

_SINCE = {
    LATEST: 1,
    EARLIEST: 1,
    MAX_TIMESTAMP: 7,
    EARLIEST_LOCAL: 8,
    LATEST_TIERED: 9,
    EARLIEST_PENDING_UPLOAD: 11,
}
_NOT_AVAILABLE_SINCE = 5
_DEBUGGING_REPLICA_ID = -2
_CONSUMER_REPLICA_ID = -1

Found = tuple[int, int, int]  # timestamp, offset, leader epoch
_NOTHING: Found = (-1, -1, -1)


def list_offsets(request: Request[ListOffsetsRequest]) -> Slices[ListOffsetsResponse]:
    """Return the requested offset of each partition, or its error."""
    requested_topics = request.body.topics
    hidden = yield from unauthorized(
        request, DESCRIBE_TOPIC, (topic.name for topic in requested_topics)
    )
    visible = [topic for topic in requested_topics if topic.name not in hidden]
    if visible:  # as in Kafka, which reads the level for these
        check_isolation_level(request.body.isolation_level)
    named = [
        (TopicPartition(topic.name, each.partition_index), each)
        for topic in visible
        for each in topic.partitions
    ]
    counts = Counter(key for key, _ in named)
    topics: dict[str, ListOffsetsTopicResponse] = {}
    for key, requested in dict(named).items():
        try:
            if counts[key] > 1:
                raise ApiError(ErrorCode.INVALID_REQUEST)
            found = yield from _find(request, key, requested)
            response = _response(requested, found, ErrorCode.NONE)
        except ApiError as error:
            response = _response(requested, _NOTHING, error.code)
        empty = ListOffsetsTopicResponse(name=key.topic, partitions=[])
        topics.setdefault(key.topic, empty).partitions.append(response)
        yield None
    refused = [_refused(topic) for topic in requested_topics if topic.name in hidden]
    return ListOffsetsResponse(topics=[*topics.values(), *refused])


def _refused(topic: ListOffsetsTopic) -> ListOffsetsTopicResponse:
    error = DESCRIBE_TOPIC.error_code
    partitions = [_response(each, _NOTHING, error) for each in topic.partitions]
    return ListOffsetsTopicResponse(name=topic.name, partitions=partitions)


def _response(
    requested: ListOffsetsPartition, found: Found, error: ErrorCode
) -> ListOffsetsPartitionResponse:
    timestamp, offset, leader_epoch = found
    return ListOffsetsPartitionResponse(
        partition_index=requested.partition_index,
        error_code=error,
        timestamp=timestamp,
        offset=offset,
        leader_epoch=leader_epoch,
    )


def _find(
    request: Request[ListOffsetsRequest], key: TopicPartition, requested: ListOffsetsPartition
) -> Slices[Found]:
    timestamp = requested.timestamp
    if timestamp < 0 and request.version < _SINCE.get(timestamp, request.version + 1):
        raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
    partition = _partition(request, key, requested)
    replica_id = request.body.replica_id
    log = partition.log
    if timestamp == LATEST:
        _check_caught_up(partition, request)
        latest = _latest(partition, replica_id, request.body.isolation_level)
        return -1, latest, partition.leader_epoch
    if timestamp in (EARLIEST, EARLIEST_LOCAL):
        return (
            -1,
            log.log_start_offset,
            log.leader_epoch_cache.epoch_for_offset(log.log_start_offset),
        )
    if timestamp in (LATEST_TIERED, EARLIEST_PENDING_UPLOAD):
        return _NOTHING
    found = yield from _search(request, key, requested, partition)
    latest = _latest(partition, replica_id, request.body.isolation_level)
    if found is None or found.offset >= latest:
        _check_caught_up(partition, request)
        return _NOTHING
    return found.timestamp, found.offset, found.leader_epoch


def _partition(
    request: Request[ListOffsetsRequest], key: TopicPartition, requested: ListOffsetsPartition
) -> Partition:
    """The partition, if this node may respond for it; raises `ApiError`."""
    partition = request.services.replicas.partitions.get_or_error(key)
    leader_required = request.body.replica_id != _DEBUGGING_REPLICA_ID
    partition.check_leader(requested.current_leader_epoch, leader_required=leader_required)
    return partition


def _search(
    request: Request[ListOffsetsRequest],
    key: TopicPartition,
    requested: ListOffsetsPartition,
    partition: Partition,
) -> Slices[TimestampAndOffset | None]:
    """Search the log by timestamp; a worker thread decompresses long batches."""
    log = partition.log
    by_time = requested.timestamp != MAX_TIMESTAMP
    search = search_by_timestamp(log, requested.timestamp) if by_time else search_max_timestamp(log)
    found: TimestampAndOffset | None = None
    while True:
        try:
            examination = search.send(found)
        except StopIteration as end:
            result: TimestampAndOffset | None = end.value
            return result
        found = None
        if examination is None:
            yield None
        else:
            with log.storage_errors:
                if examination.is_short:
                    found = examination.first_record()
                else:
                    found = yield from offloaded(request.services.offload, examination.first_record)
        if _partition(request, key, requested) is not partition:
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)


def _check_caught_up(partition: Partition, request: Request[ListOffsetsRequest]) -> None:
    """Raise an error while a new leader's high watermark is below the start of its epoch (KIP-207).

    Its high watermark may be lower than the one that the last leader returned.
    """
    leader_state = partition.leader_state
    if (
        leader_state is not None
        and request.body.replica_id == _CONSUMER_REPLICA_ID
        and partition.log.high_watermark < leader_state.epoch_start_offset
    ):
        raise ApiError(
            ErrorCode.OFFSET_NOT_AVAILABLE
            if request.version >= _NOT_AVAILABLE_SINCE
            else ErrorCode.LEADER_NOT_AVAILABLE
        )


def _latest(partition: Partition, replica_id: int, isolation_level: int) -> int:
    """One past the last offset that the client may read."""
    if replica_id != _CONSUMER_REPLICA_ID:
        return partition.log.log_end_offset
    if isolation_level == 1:
        return partition.log.last_stable_offset
    return partition.log.high_watermark
