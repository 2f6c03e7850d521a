"""Reads several partitions under one response limit (Kafka's ``readFromLog``).

Partitions are read in the order of the request. The first batch found is returned whole even if it
exceeds every limit, so that a consumer can always make progress (KIP-74). Later batches that do not
fit are omitted.

A session fetches the same partitions again and again, and most of them have not changed. Where a
read found nothing, and nothing has happened since, its result is used again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import (
    EmptyRead,
    FetchIsolation,
    FetchParams,
    FetchPartition,
    LogReadResult,
)
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.partition import Partition
from broker.steps.pieces import pieces
from broker.steps.queue import Slices
from broker.storage.files.storage_errors import OffsetOutOfRange
from protocol.errors import ErrorCode
from purgatories.operations.delayed_fetch import FetchPartitionStatus

_NONE: Final = ErrorCode.NONE
_TXN_COMMITTED: Final = FetchIsolation.TXN_COMMITTED


def read_from_log(
    partitions: HostedPartitions,
    params: FetchParams,
    partitions_requested: Sequence[FetchPartition],
) -> list[LogReadResult]:
    """Read each partition; a result has the error of its own partition."""
    return LogReader(partitions, params).read(partitions_requested)


def read_from_log_in_slices(
    partitions: HostedPartitions,
    params: FetchParams,
    partitions_requested: Sequence[FetchPartition],
) -> Slices[list[LogReadResult]]:
    """`read_from_log` that yields between the partitions."""
    reader, results = LogReader(partitions, params), list[LogReadResult]()
    for piece in pieces(partitions_requested):
        results += reader.read(piece)
        yield None
    return results


class LogReader:
    """Reads the partitions of one response, which has one limit."""

    __slots__ = ("_nothing_yet", "_params", "_partitions", "_remaining")

    def __init__(self, partitions: HostedPartitions, params: FetchParams) -> None:
        self._partitions = partitions
        self._params = params
        self._remaining = params.max_bytes
        self._nothing_yet = True

    def read(self, partitions_requested: Sequence[FetchPartition]) -> list[LogReadResult]:
        """Read the next partitions."""
        results: list[LogReadResult] = []
        partitions, params = self._partitions, self._params
        remaining, nothing_yet = self._remaining, self._nothing_yet
        is_checked = not params.from_follower  # whether the follower may fetch in its broker epoch
        for requested in partitions_requested:
            partition, last = partitions.get(requested.key), requested.empty_read
            try:
                if partition is None:
                    partition = partitions.get_or_error(requested.key)
                if last is not None and last.may_be_repeated(partition, params):
                    if not is_checked:
                        _check_follower(partition, params, requested)
                        is_checked = True
                    results.append(last.result)
                    continue
                requested.empty_read = None
                limit = min(remaining, requested.max_bytes)
                result = _read(partition, params, requested, limit, nothing_yet)
            except ApiError as error:
                result = LogReadResult(error.code)
            results.append(result)
            if size := len(result.records):
                nothing_yet = False
                remaining = max(0, remaining - size)
            elif remaining < 0:  # an invalid limit applies to the first partition only
                remaining = 0
        self._remaining, self._nothing_yet = remaining, nothing_yet
        return results


def _check_follower(partition: Partition, params: FetchParams, requested: FetchPartition) -> None:
    """Raise `ApiError` if the node that fetches may not do so."""
    partition.leader_state_or_error().check_follower(
        params.replica_id, params.replica_epoch, requested.current_leader_epoch
    )


def _read(
    partition: Partition,
    params: FetchParams,
    requested: FetchPartition,
    limit: int,
    min_one_message: bool,
) -> LogReadResult:
    topic_id = requested.topic_id.int  # as numbers: Python code compares the objects
    if topic_id and topic_id != partition.topic_id.int:
        raise ApiError(ErrorCode.INCONSISTENT_TOPIC_ID)
    partition.check_leader(requested.current_leader_epoch, leader_required=params.leader_only)
    if params.from_follower:
        _check_follower(partition, params, requested)
    log = partition.log
    preferred = _preferred_read_replica(partition, params, requested)
    if preferred is not None:
        return LogReadResult(
            _NONE,
            log.high_watermark,
            log.last_stable_offset,
            log.log_start_offset,
            log_end_offset=log.log_end_offset,
            preferred_read_replica=preferred,
        )
    if requested.last_fetched_epoch != -1:
        diverging = diverging_epoch(partition, requested.last_fetched_epoch, requested.fetch_offset)
        if diverging is not None:
            return LogReadResult(
                _NONE,
                log.high_watermark,
                log.last_stable_offset,
                log.log_start_offset,
                diverging_epoch=diverging,
            )
    upper = params.isolation.upper_bound(log)
    try:
        data = log.fetch(requested.fetch_offset, limit, upper, min_one_message)
    except OffsetOutOfRange:
        raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE) from None
    if limit < 0 and requested.fetch_offset < upper.message_offset:
        # Kafka fails with a negative limit, and only where there are records.
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    is_committed = params.isolation is _TXN_COMMITTED
    has_list = is_committed and not data.first_entry_incomplete
    result = LogReadResult(
        _NONE,
        log.high_watermark,
        log.last_stable_offset,
        log.log_start_offset,
        b"" if _withholds(params, partition, data.first_entry_incomplete) else data.records,
        data.offset_metadata,
        log_end_offset=log.log_end_offset,
        aborted=log.aborted_in(data, upper) if has_list else None,
    )
    if requested.fetch_offset >= upper.message_offset:
        requested.empty_read = EmptyRead(partition, params, result, fetch_status(requested, result))
    return result


def _withholds(params: FetchParams, partition: Partition, first_entry_incomplete: bool) -> bool:
    """Whether the response has no records, and no error, although there are some.

    A client cannot use an incomplete batch. A throttled follower waits for its quota.
    """
    is_throttled = params.is_throttled
    return first_entry_incomplete or (is_throttled is not None and is_throttled(partition))


def _preferred_read_replica(
    partition: Partition, params: FetchParams, requested: FetchPartition
) -> int | None:
    """The follower to read from; None is this node."""
    choose, leader_state = params.preferred_read_replica, partition.leader_state
    if choose is None or leader_state is None:
        return None
    return choose(leader_state, requested.fetch_offset)


def fetch_status(
    requested: FetchPartition, result: LogReadResult
) -> FetchPartitionStatus[TopicPartition]:
    """What a delayed fetch compares with the partition, which it has read with *result*."""
    return FetchPartitionStatus(
        requested.key,
        result.start,
        requested.max_bytes,
        requested.current_leader_epoch,
        requested.last_fetched_epoch,
    )


def diverging_epoch(
    partition: Partition, last_fetched_epoch: int, fetch_offset: int
) -> tuple[int, int] | None:
    """Where the follower's log diverges from this one, as (epoch, end offset), or None (KIP-595).

    Raises `ApiError` OFFSET_OUT_OF_RANGE when the epoch is unknown here.
    """
    epoch, end_offset = partition.log.end_offset_for_epoch(last_fetched_epoch)
    if epoch == -1 or end_offset == -1 or fetch_offset < partition.log.log_start_offset:
        raise ApiError(ErrorCode.OFFSET_OUT_OF_RANGE)
    if epoch < last_fetched_epoch or end_offset < fetch_offset:
        return epoch, end_offset
    return None
