"""The logs as a delayed fetch uses them: it checks their ends, and reads them when it completes.

None ends the wait; the read that follows returns the error (cases A to E of Kafka's
``DelayedFetch``: not the leader, unknown partition, offline log, fenced epoch).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchParams, FetchPartition, LogReadResult
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.log_reader import diverging_epoch, read_from_log
from broker.storage.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode


class LogFetchSource:
    """The logs as one fetch of the partitions *wanted* may read them, with its isolation."""

    __slots__ = ("_on_response", "_params", "_partitions", "_wanted")

    def __init__(
        self,
        partitions: HostedPartitions,
        params: FetchParams,
        wanted: Sequence[FetchPartition],
        on_response: Callable[[list[LogReadResult]], None],
    ) -> None:
        self._partitions = partitions
        self._params = params
        self._wanted = wanted
        self._on_response = on_response

    def respond(self) -> None:
        """Read the partitions, and respond."""
        self._on_response(read_from_log(self._partitions, self._params, self._wanted))

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

    def is_throttled(self, _key: TopicPartition) -> bool:
        """Whether a follower that is not in sync is throttled: never, there is no such quota."""
        return False
