"""The logs as a delayed fetch uses them: it checks their ends, and reads them when it completes.

None ends the wait; the read that follows returns the error (cases A to E of Kafka's
``DelayedFetch``: not the leader, unknown partition, offline log, fenced epoch).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchParams, FetchPartition, LogReadResult
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.idle_partitions import IdlePartitions, sort_by_order
from broker.replication.log_reader import diverging_epoch, fetch_status
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode
from purgatories.operations.delayed_fetch import DelayedFetch, FetchPartitionStatus

Results = TypeVar("Results")


class LogFetchSource(Generic[Results]):
    """The logs as one fetch of the partitions *wanted* may read them, with its isolation.

    *on_response* gets what *read* returns. *idle* are the partitions for which the fetch also
    waits, but has not read; those that change become wanted.
    """

    __slots__ = ("_idle", "_on_response", "_params", "_partitions", "_read", "_wanted")

    def __init__(
        self,
        partitions: HostedPartitions,
        params: FetchParams,
        wanted: list[FetchPartition],
        on_response: Callable[[Results], None],
        read: Callable[[HostedPartitions, FetchParams, Sequence[FetchPartition]], Results],
        idle: IdlePartitions | None = None,
    ) -> None:
        self._partitions = partitions
        self._params = params
        self._wanted = wanted
        self._on_response = on_response
        self._read = read
        self._idle = idle

    def changed(self) -> Sequence[FetchPartitionStatus[TopicPartition]]:
        """See `FetchSource`; the partitions are wanted from now on."""
        if self._idle is None:
            return ()
        reactivated = self._idle.take_reactivated()
        if not reactivated:
            return ()
        self._wanted += reactivated
        sort_by_order(self._wanted)
        return [each.empty_read.status for each in reactivated if each.empty_read is not None]

    def respond(self) -> None:
        """Read the partitions, and respond."""
        self.changed()
        self._on_response(self._read(self._partitions, self._params, self._wanted))

    def end_offset(
        self, key: TopicPartition, current_leader_epoch: int
    ) -> LogOffsetMetadata | None:
        """The upper bound of this fetch, with its position in the log; None ends the wait."""
        partition = self._partitions.get(key)
        if partition is None:
            return None
        try:
            partition.check_leader(current_leader_epoch, leader_required=self._params.leader_only)
        except ApiError as error:
            if error.code is ErrorCode.UNKNOWN_LEADER_EPOCH:
                raise
            return None
        return self._params.isolation.upper_bound(partition.log)

    def diverges(self, key: TopicPartition, last_fetched_epoch: int, fetch_offset: int) -> bool:
        """Whether the follower's log diverges from this one, or its epoch is unknown (case H)."""
        try:
            return (
                diverging_epoch(self._partitions[key], last_fetched_epoch, fetch_offset) is not None
            )
        except ApiError:
            return True

    def is_throttled(self, key: TopicPartition) -> bool:
        """Whether a follower that is not in sync has to wait for the rate of its leader."""
        is_throttled, partition = self._params.is_throttled, self._partitions.get(key)
        return is_throttled is not None and partition is not None and is_throttled(partition)


def delayed_fetch(
    params: FetchParams,
    statuses: Sequence[FetchPartitionStatus[TopicPartition]],
    source: LogFetchSource[Any],
    idle: IdlePartitions | None = None,
) -> DelayedFetch[TopicPartition]:
    """The operation of a fetch that has read its partitions with *statuses*."""
    return DelayedFetch(
        params.max_wait_ms,
        params.min_bytes,
        statuses,
        source,
        source.respond,
        "follower" if params.from_follower else "consumer",
        () if idle is None else idle.statuses(),
    )


def fetch_statuses(
    wanted: Sequence[FetchPartition], results: Sequence[LogReadResult]
) -> list[FetchPartitionStatus[TopicPartition]]:
    """What a delayed fetch compares with the partitions, which it has read with *results*."""
    statuses: list[FetchPartitionStatus[TopicPartition]] = []
    for requested, result in zip(wanted, results, strict=True):
        read = requested.empty_read
        if read is not None and read.result is result:
            statuses.append(read.status)
        else:
            statuses.append(fetch_status(requested, result))
    return statuses


def missing_bytes(results: Sequence[LogReadResult], min_bytes: int) -> int:
    """How many of *min_bytes* these results lack; 0 if another reason ends the wait."""
    for result in results:
        min_bytes -= len(result.records)
        if result.has_other_news:
            return 0
    return min_bytes
