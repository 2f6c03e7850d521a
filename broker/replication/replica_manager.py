"""Appends, reads and deletes records of a node's replicas, and delays responses.

Kafka's ``ReplicaManager``. A produce with acks=all, a DeleteRecords and a fetch without enough data
become delayed operations that are watched on their partitions. A change of a log end, high or low
watermark checks the operations of the partition. Checks after an append are queued as actions that
run after the request (KAFKA-8334), so that no operation completes inside the work of another one.
Checks after a follower's fetch run immediately.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Final

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchParams, FetchPartition, LogReadResult
from broker.replication.fetch_source import (
    LogFetchSource,
    delayed_fetch,
    fetch_statuses,
    missing_bytes,
)
from broker.replication.follower_fetch import FollowerFetch
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.idle_partitions import IdlePartitions, sort_by_order
from broker.replication.log_reader import LogReader, read_from_log, read_from_log_in_slices
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.replication.produce_result import ProduceResult, refused_result
from broker.steps.pieces import pieces
from broker.steps.queue import Slices, completed
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.validation.append import AppendOrigin, AppendRefused
from broker.storage.validation.log_validator import Appendable
from protocol.compression import Buffer
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_delete_records import (
    DelayedDeleteRecords,
    DeleteRecordsPartitionStatus,
)
from purgatories.operations.delayed_fetch import DelayedFetch, FetchPartitionStatus
from purgatories.operations.delayed_produce import DelayedProduce, ProducePartitionStatus

_NONE: Final = ErrorCode.NONE

# The Produce version whose rules hold for batches of the broker itself.
_OWN_PRODUCE_VERSION: Final = 9

# The guards of verified transactions; a partition without one has none.
Guards = Mapping[TopicPartition, int]
_NO_GUARDS: Final[Guards] = {}

ProduceResults = dict[TopicPartition, ProduceResult]
ProduceStatuses = dict[TopicPartition, ProducePartitionStatus]
FetchResults = list[LogReadResult]
DeleteResults = dict[TopicPartition, DeleteRecordsPartitionStatus]


class ReplicaManager:
    """Serves the partitions that a node hosts; requests wait in ``purgatories``."""

    def __init__(
        self,
        partitions: HostedPartitions,
        purgatories: PartitionPurgatories,
        now_ms: Callable[[], float],
    ) -> None:
        self.partitions = partitions
        self._now_ms = now_ms
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
        guards: Guards = _NO_GUARDS,
    ) -> DelayedProduce[TopicPartition] | None:
        """Append to each partition; respond immediately or when the ISR has the records.

        *guards* are those of the transactions that have been verified. Returns the operation if it
        waits. Kafka's ``ReplicaManager.appendRecords``.
        """
        produced = _Produced()
        for key, records in entries.items():
            guard = guards.get(key, NO_GUARD) if guards else NO_GUARD
            self._append_to(produced, key, records, required_acks, produce_version, guard)
        return self._respond_or_wait(produced, timeout_ms, on_response)

    def append_records_in_slices(
        self,
        timeout_ms: int,
        required_acks: int,
        entries: Mapping[TopicPartition, Appendable],
        produce_version: int,
        on_response: Callable[[ProduceResults], None],
        guards: Guards = _NO_GUARDS,
    ) -> Slices[DelayedProduce[TopicPartition] | None]:
        """`append_records` that yields after each partition."""
        produced = _Produced()
        for key, records in entries.items():
            guard = guards.get(key, NO_GUARD) if guards else NO_GUARD
            self._append_to(produced, key, records, required_acks, produce_version, guard)
            yield None
        return self._respond_or_wait(produced, timeout_ms, on_response)

    def append_markers(
        self,
        timeout_ms: int,
        markers: Mapping[TopicPartition, Buffer],
        transaction_version: int,
        on_response: Callable[[dict[TopicPartition, ErrorCode]], None],
    ) -> DelayedProduce[TopicPartition] | None:
        """Append a control batch to each partition; respond when the ISR has all of them.

        *transaction_version* determines which epochs a marker may have (KIP-1228). Returns the
        operation if it waits.
        """
        produced = _Produced()
        for key, marker in markers.items():
            self._append_to(
                produced,
                key,
                memoryview(marker),
                -1,
                _OWN_PRODUCE_VERSION,
                NO_GUARD,
                origin=AppendOrigin.COORDINATOR,
                transaction_version=transaction_version,
            )

        def respond(results: ProduceResults) -> None:
            on_response({key: result.error for key, result in results.items()})

        return self._respond_or_wait(produced, timeout_ms, respond)

    def append_batch(self, key: TopicPartition, batch: bytes) -> ErrorCode:
        """Append a batch of the broker itself with ``acks=1``, and complete what that allows."""
        produced = _Produced()
        self._append_to(
            produced, key, memoryview(bytearray(batch)), 1, _OWN_PRODUCE_VERSION, NO_GUARD
        )
        self.actions.try_complete_actions()
        return produced.results[key].error

    def _append_to(
        self,
        produced: _Produced,
        key: TopicPartition,
        records: Appendable,
        required_acks: int,
        produce_version: int,
        guard: int,
        origin: AppendOrigin = AppendOrigin.CLIENT,
        transaction_version: int = 0,
    ) -> None:
        """Append to one partition, and add the result to *produced*.

        A duplicate appends nothing, but may move the high watermark, since a follower that it
        waited for may be too slow by now.
        """
        partition = self.partitions.get(key)
        try:
            if partition is None:
                partition = self.partitions.get_or_error(key)
            info, high_watermark_moved = partition.append_as_leader(
                records, required_acks, produce_version, origin, guard, transaction_version
            )
        except (AppendRefused, ApiError) as refusal:
            produced.results[key] = refused_result(refusal, partition)
            return
        end = info.last_offset + 1
        result = ProduceResult(
            _NONE, info.first_offset, info.log_append_time, info.log_start_offset
        )
        produced.results[key] = result
        if required_acks == -1:
            produced.ends[key] = end
            is_replicated, result.error = partition.check_enough_replicas(end)
            produced.waits |= not is_replicated
        self.actions.add(self._purgatories.after_append, key, end, high_watermark_moved)

    def _respond_or_wait(
        self,
        produced: _Produced,
        timeout_ms: int,
        on_response: Callable[[ProduceResults], None],
    ) -> DelayedProduce[TopicPartition] | None:
        """Respond if no partition waits for its in-sync replicas; returns the operation if it does.

        Most topics of a single node have one replica. Their produces never wait, and need no
        operation.
        """
        results, ends = produced.results, produced.ends
        if not produced.waits:
            on_response(results)
            return None

        def respond(decided: ProduceStatuses) -> None:
            for key, status in decided.items():
                results[key].error = ErrorCode(status.error) if status.error else _NONE
            on_response(results)

        statuses = {
            key: ProducePartitionStatus(ends.get(key, -1), result.error, result)
            for key, result in results.items()
        }
        operation = DelayedProduce(timeout_ms, statuses, self, respond)
        done = self._purgatories.produce.try_complete_else_watch(operation, list(statuses))
        return None if done else operation

    def check_enough_replicas(self, key: TopicPartition, required_offset: int) -> tuple[bool, int]:
        """Whether the ISR has all records below *required_offset*, for a delayed produce."""
        try:
            return self.partitions.get_or_error(key).check_enough_replicas(required_offset)
        except ApiError as error:
            return False, error.code

    # -------------------------------------------------------------------------------- fetch

    def fetch_messages(
        self,
        params: FetchParams,
        wanted: list[FetchPartition],
        on_response: Callable[[FetchResults], None],
        idle: IdlePartitions | None = None,
    ) -> DelayedFetch[TopicPartition] | None:
        """Read; respond immediately if there is enough data, else later, at most ``max_wait_ms``.

        It also waits for the *idle* partitions of the session. Those that change are added to
        *wanted*, and *on_response* gets a result for each of these. Returns the operation if it
        waits. Kafka's ``ReplicaManager.fetchMessages``.
        """
        self._begin_fetch(wanted, idle)
        results = read_from_log(self.partitions, params, wanted)
        if params.from_follower:
            self._update_follower_fetch_state(params, wanted, results)
        if not _may_wait(params, wanted, idle) or missing_bytes(results, params.min_bytes) <= 0:
            on_response(results)
            return None
        statuses = fetch_statuses(wanted, results)
        source = LogFetchSource(self.partitions, params, wanted, on_response, read_from_log, idle)
        operation = delayed_fetch(params, statuses, source, idle)
        return self._wait_for_records(operation, wanted, idle)

    def fetch_messages_in_slices(
        self,
        params: FetchParams,
        wanted: list[FetchPartition],
        on_response: Callable[[Slices[FetchResults]], None],
        idle: IdlePartitions | None = None,
    ) -> Slices[DelayedFetch[TopicPartition] | None]:
        """`fetch_messages` that yields between the partitions, as what *on_response* gets does.

        The state of a follower changes in the same step in which its partition is read.
        """
        self._begin_fetch(wanted, idle)
        reader, missing = LogReader(self.partitions, params), params.min_bytes
        results, statuses = FetchResults(), list[FetchPartitionStatus[TopicPartition]]()
        for piece in pieces(wanted):
            read = reader.read(piece)
            if params.from_follower:
                self._update_follower_fetch_state(params, piece, read)
            missing = missing_bytes(read, missing)
            statuses += fetch_statuses(piece, read)
            results += read
            yield None
        if not _may_wait(params, wanted, idle) or missing <= 0:
            on_response(completed(results))
            return None
        read_again = read_from_log_in_slices
        source = LogFetchSource(self.partitions, params, wanted, on_response, read_again, idle)
        operation = delayed_fetch(params, statuses, source, idle)
        return self._wait_for_records(operation, wanted, idle)

    def _begin_fetch(self, wanted: list[FetchPartition], idle: IdlePartitions | None) -> None:
        """Count the fetch for the idle partitions; the others are *wanted*."""
        if idle is not None:
            reactivated = idle.begin_fetch(self._now_ms())
            if reactivated:
                wanted += reactivated
                sort_by_order(wanted)

    def _wait_for_records(
        self,
        operation: DelayedFetch[TopicPartition],
        read: Sequence[FetchPartition],
        idle: IdlePartitions | None,
    ) -> DelayedFetch[TopicPartition] | None:
        """Wait on the partitions that were *read*; an idle one is watched when it changes."""
        keys: list[Hashable] = [requested.key for requested in read]
        if idle is not None and len(idle) > 0:
            idle.wait(operation, self._purgatories.fetch)
            keys = keys or [idle]
        done = self._purgatories.fetch.try_complete_else_watch(operation, keys)
        return None if done else operation

    def _update_follower_fetch_state(
        self, params: FetchParams, wanted: Sequence[FetchPartition], results: FetchResults
    ) -> None:
        """Note that a follower has all records below its fetch offsets.

        The response has been built already and has the previous high watermark, as in Kafka.
        """
        fetch = FollowerFetch(
            params.replica_id,
            params.replica_epoch,
            self._now_ms(),
            has_delayed_deletes=self._purgatories.delete_records.num_delayed() > 0,
        )
        for requested, result in zip(wanted, results, strict=True):
            if result.error or result.diverging_epoch:
                continue
            # The effects of an earlier partition may have ended the leadership of a later one.
            partition = self.partitions.get(requested.key)
            if partition is not None and partition.leader_state is not None:
                partition.leader_state.update_follower_fetch_state(
                    fetch, result.start, requested.log_start_offset, result.log_end_offset
                )

    # ------------------------------------------------------------------------------- delete

    def delete_records(
        self,
        timeout_ms: int,
        offsets: dict[TopicPartition, int],
        on_response: Callable[[DeleteResults], None],
    ) -> Slices[DelayedDeleteRecords[TopicPartition] | None]:
        """Delete below each offset; respond when every live replica has done so.

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
        """The low watermark of a partition and an error code, for a delayed deletion."""
        try:
            partition = self.partitions.get_or_error(key)
            return partition.leader_state_or_error().low_watermark(), ErrorCode.NONE
        except ApiError as error:
            return -1, error.code


class _Produced:
    """The results of the appends of one request.

    With ``acks=all``, ``ends`` are the offsets up to which the in-sync replicas of each partition
    must have the records; ``waits`` is whether any partition still lacks some.
    """

    __slots__ = ("ends", "results", "waits")

    def __init__(self) -> None:
        self.results: ProduceResults = {}
        self.ends: dict[TopicPartition, int] = {}
        self.waits = False


def _may_wait(
    params: FetchParams, wanted: Sequence[FetchPartition], idle: IdlePartitions | None
) -> bool:
    """Whether a fetch may wait, and has partitions to wait for."""
    return params.max_wait_ms > 0 and (bool(wanted) or (idle is not None and len(idle) > 0))
