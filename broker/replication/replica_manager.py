"""What a node does with its replicas: appends, reads, deletes, and the requests that wait for it.

Kafka's ``ReplicaManager``. A produce with acks=all, a deletion of records and a fetch that finds
too little become delayed operations, watched on their partitions; what moves a log end, a high or a
low watermark checks those keys. Checks that follow from an append are queued as an action and run
when the request that appended is through (KAFKA-8334), so that no completion runs inside another
operation's work; what a follower's fetch has moved is checked at once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchParams, FetchPartition, LogReadResult
from broker.replication.fetch_source import LogFetchSource
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.log_reader import read_from_log
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.steps.queue import Slices
from broker.storage.append import AppendRefused
from broker.storage.log_validator import Appendable
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_delete_records import (
    DelayedDeleteRecords,
    DeleteRecordsPartitionStatus,
)
from purgatories.operations.delayed_fetch import DelayedFetch, FetchPartitionStatus
from purgatories.operations.delayed_produce import DelayedProduce, ProducePartitionStatus


@dataclass(slots=True)
class ProduceResult:
    """One partition's part of a produce answer; -1 where an error leaves nothing to tell.

    ``message`` is there only for refused records: of other errors Kafka tells the code alone
    (``LogAppendResult.errorMessage``).
    """

    error: ErrorCode
    base_offset: int = -1
    log_append_time: int = -1
    log_start_offset: int = -1
    record_errors: Sequence[tuple[int, str | None]] = ()
    message: str | None = None


# Refusals with which Kafka tells nothing of the log, not even where it begins.
_TELL_NO_LOG_START = frozenset(
    {
        ErrorCode.CORRUPT_MESSAGE,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.RECORD_LIST_TOO_LARGE,
        ErrorCode.KAFKA_STORAGE_ERROR,
    }
)

ProduceResults = dict[TopicPartition, ProduceResult]
FetchResults = list[LogReadResult]
DeleteResults = dict[TopicPartition, DeleteRecordsPartitionStatus]


class ReplicaManager:
    """Serves the partitions that a node hosts; requests wait in ``purgatories``."""

    def __init__(self, partitions: HostedPartitions, purgatories: PartitionPurgatories) -> None:
        self.partitions = partitions
        self.actions = ActionQueue(purgatories.on_error)
        self._purgatories = purgatories

    # ------------------------------------------------------------------------------ produce

    def append_records(
        self,
        timeout_ms: int,
        required_acks: int,
        entries: Mapping[TopicPartition, Appendable],
        produce_version: int,
        on_response: Callable[[ProduceResults], None],
    ) -> Slices[DelayedProduce[TopicPartition] | None]:
        """Append to each partition; respond then, or when all in-sync replicas have the records.

        Returns the operation if it waits. Kafka's ``ReplicaManager.appendRecords``.
        """
        results: ProduceResults = {}
        statuses: dict[TopicPartition, ProducePartitionStatus] = {}
        failed = 0
        for key, records in entries.items():
            result, required_offset, high_watermark_moved = self._append(
                key, records, required_acks, produce_version
            )
            results[key] = result
            statuses[key] = ProducePartitionStatus(required_offset, result.error, result)
            if result.error:
                failed += 1
            elif high_watermark_moved is not None:
                moved = [(key, high_watermark_moved, required_offset)]
                self.actions.add(partial(self._purgatories.after_append, moved))
            yield None
        if required_acks != -1 or failed == len(entries):
            on_response(results)
            return None

        def answer(decided: dict[TopicPartition, ProducePartitionStatus]) -> None:
            for key, status in decided.items():
                results[key].error = ErrorCode(status.error)
            on_response(results)

        operation = DelayedProduce(timeout_ms, statuses, self, answer)
        done = self._purgatories.produce.try_complete_else_watch(operation, list(entries))
        return None if done else operation

    def check_enough_replicas(self, key: TopicPartition, required_offset: int) -> tuple[bool, int]:
        """Whether the in-sync replicas have all below *required_offset*; a waiting produce asks."""
        try:
            return self.partitions.get_or_error(key).check_enough_replicas(required_offset)
        except ApiError as error:
            return False, error.code

    def _append(
        self, key: TopicPartition, records: Appendable, required_acks: int, produce_version: int
    ) -> tuple[ProduceResult, int, bool | None]:
        """The result, the offset to wait for, and whether the high watermark moved.

        None instead of the latter: refused. A duplicate appends nothing, but may find that time
        has freed the high watermark of a follower it waited for.
        """
        try:
            partition = self.partitions.get_or_error(key)
        except ApiError as error:
            return ProduceResult(error.code), -1, None
        log_start_offset = partition.log.log_start_offset
        try:
            appended = partition.append_as_leader(records, required_acks, produce_version)
        except AppendRefused as refusal:
            result = ProduceResult(
                refusal.error,
                log_start_offset=-1 if refusal.error in _TELL_NO_LOG_START else log_start_offset,
                record_errors=refusal.record_errors,
                message=refusal.message if refusal.record_errors else None,
            )
            return result, -1, None
        except ApiError as error:
            start = log_start_offset if error.code is ErrorCode.NOT_ENOUGH_REPLICAS else -1
            return ProduceResult(error.code, log_start_offset=start), -1, None
        info = appended.info
        result = ProduceResult(
            ErrorCode.NONE, info.first_offset, info.log_append_time, info.log_start_offset
        )
        return result, info.last_offset + 1, appended.high_watermark_moved

    # -------------------------------------------------------------------------------- fetch

    def fetch_messages(
        self,
        params: FetchParams,
        wanted: Sequence[FetchPartition],
        on_response: Callable[[FetchResults], None],
    ) -> DelayedFetch[TopicPartition] | None:
        """Read; answer at once if that is enough, else when it is, or after ``max_wait_ms``.

        Returns the operation if it waits. Kafka's ``ReplicaManager.fetchMessages``.
        """
        results = read_from_log(self.partitions, params, wanted)
        if params.from_follower:
            self._update_follower_fetch_state(params, wanted, results)
        if (
            params.max_wait_ms <= 0
            or not wanted
            or sum(len(result.records) for result in results) >= params.min_bytes
            or any(result.error or result.diverging_epoch for result in results)
        ):
            on_response(results)
            return None
        statuses = [
            FetchPartitionStatus(
                requested.key,
                result.start,
                requested.max_bytes,
                requested.current_leader_epoch,
                requested.last_fetched_epoch,
            )
            for requested, result in zip(wanted, results, strict=True)
        ]
        operation = DelayedFetch(
            params.max_wait_ms,
            params.min_bytes,
            statuses,
            LogFetchSource(self.partitions, params),
            lambda: on_response(read_from_log(self.partitions, params, wanted)),
            "follower" if params.from_follower else "consumer",
        )
        keys = [requested.key for requested in wanted]
        done = self._purgatories.fetch.try_complete_else_watch(operation, keys)
        return None if done else operation

    def _update_follower_fetch_state(
        self, params: FetchParams, wanted: Sequence[FetchPartition], results: FetchResults
    ) -> None:
        """A follower has what lies below the offsets it fetches from; the answer is made already.

        So the answer bears the high watermark from before, as in Kafka.
        """
        for requested, result in zip(wanted, results, strict=True):
            if result.error or result.diverging_epoch:
                continue
            # What an earlier partition set off may have ended the leadership of a later one.
            partition = self.partitions.get(requested.key)
            leader_state = None if partition is None else partition.leader_state
            replica = None if leader_state is None else leader_state.replicas.get(params.replica_id)
            if leader_state is None or replica is None:
                continue
            leader_state.update_follower_fetch_state(
                replica,
                result.start,
                requested.log_start_offset,
                result.log_end_offset,
                params.replica_epoch,
            )

    # ------------------------------------------------------------------------------- delete

    def delete_records(
        self,
        timeout_ms: int,
        offsets: dict[TopicPartition, int],
        on_response: Callable[[DeleteResults], None],
    ) -> Slices[DelayedDeleteRecords[TopicPartition] | None]:
        """Delete below each offset; answer when every living replica has done so.

        Returns the operation if it waits. Kafka's ``ReplicaManager.deleteRecords``.
        """
        statuses = {}
        for key, offset in offsets.items():
            statuses[key] = self._delete(key, offset)
            yield None
        if all(s.error or s.low_watermark >= s.required_offset for s in statuses.values()):
            on_response(statuses)
            return None
        operation = DelayedDeleteRecords(timeout_ms, statuses, self, on_response)
        done = self._purgatories.delete_records.try_complete_else_watch(operation, list(offsets))
        return None if done else operation

    def _delete(self, key: TopicPartition, offset: int) -> DeleteRecordsPartitionStatus:
        try:
            wanted, low_watermark = self.partitions.get_or_error(key).delete_records(offset)
        except ApiError as error:
            return DeleteRecordsPartitionStatus(offset, error.code)
        return DeleteRecordsPartitionStatus(wanted, ErrorCode.NONE, low_watermark)

    def low_watermark(self, key: TopicPartition) -> tuple[int, int]:
        """From where on every living replica has records; a waiting deletion asks."""
        try:
            return self.partitions.get_or_error(
                key
            ).leader_state_or_error().low_watermark(), ErrorCode.NONE
        except ApiError as error:
            return -1, error.code
