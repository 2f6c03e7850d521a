"""Descriptions of the waits of Produce, Fetch and DeleteRecords requests (`Wait`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Generic, TypeVar
from uuid import UUID

from broker.common.topic_partition import TopicPartition
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.partition import Partition
from broker.replication.produce_result import ProduceResult
from broker.replication.replica import ReplicaProgress
from broker.replication.replica_manager import ReplicaManager
from broker.replication.wait_facts import holding_rules, longest_held_back, with_transaction
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind
from broker.wait_records.wait import Facts, Wait, WaitPartition
from purgatories.delayed_operation import TIMEOUT, DelayedOperation
from purgatories.operations.delayed_delete_records import DelayedDeleteRecords
from purgatories.operations.delayed_fetch import DelayedFetch
from purgatories.operations.delayed_produce import DelayedProduce

Operation = TypeVar("Operation", bound=DelayedOperation)
Produced = tuple[TopicPartition, UUID, ProduceResult]

FLUSHED = Cause(CauseKind.FLUSH)


class OperationWait(Wait, Generic[Operation]):
    """A wait for *operation*, which is in a purgatory."""

    __slots__ = ("_operation",)

    def __init__(self, operation: Operation) -> None:
        self._operation = operation

    @property
    def timeout_ms(self) -> int:
        """See `Wait`."""
        return int(self._operation.delay_ms)

    @property
    def checks(self) -> int:
        """See `Wait`."""
        return self._operation.checks

    def observe(self, on_check: Callable[[Cause], object]) -> None:
        """See `Wait`."""

        def of_event(cause: object) -> None:
            if isinstance(cause, Cause):
                on_check(cause)

        self._operation.on_check = of_event

    def remaining_ms(self, now_ms: float) -> int:
        """See `Wait`."""
        return max(0, int(self._operation.expiration_ms - now_ms))

    def cause(self, _present: Callable[[], Cause]) -> Cause | None:
        """The cause that the event passed to the purgatory."""
        completed_by = self._operation.completed_by
        if isinstance(completed_by, Cause):
            return completed_by
        assert completed_by in (None, TIMEOUT)
        return None if completed_by is None else TIMED_OUT

    def release(self) -> None:
        """See `Wait`."""
        self._operation.release()

    def partition_facts(self) -> Iterator[Facts]:
        """See `Wait`."""
        return map(_partition_facts, self.partitions())


class FetchWait(OperationWait[DelayedFetch[TopicPartition]]):
    """A fetch that waits for ``min_bytes``."""

    __slots__ = ("_hosted", "is_follower")
    purgatory = "Fetch"

    def __init__(
        self,
        operation: DelayedFetch[TopicPartition],
        hosted: HostedPartitions,
        is_follower: bool = False,
    ) -> None:
        self._operation = operation
        self._hosted = hosted
        self.is_follower = is_follower

    def release(self) -> None:
        """See `Wait`; no list contains a completed operation on one partition."""
        if not self._operation.has_one_key:
            self._operation.release()

    def condition(self) -> Facts:
        """The bytes needed and available."""
        operation = self._operation
        had = operation.available_bytes() or 0
        facts = {"kind": "min_bytes", "need": operation.min_bytes, "had": had}
        if self.is_follower:
            throttled = [
                {"topic": key.topic, "partition": key.partition} for key in operation.throttled()
            ]
            return {**facts, "throttled": throttled} if throttled else facts
        rules = self._rules()
        return {**facts, "faults": rules} if rules else facts

    def cause(self, present: Callable[[], Cause]) -> Cause | None:
        """With the segment that ended the wait, if the fetch does not start in it."""
        cause, segment = super().cause(present), self._operation.newer_segment()
        if cause is None or cause is TIMED_OUT or segment is None:
            return cause
        return cause._replace(segment=segment)

    def _rules(self) -> list[Facts]:
        """The fault rules that keep its partitions' high watermarks from its offsets."""
        partitions = self._operation.partitions
        offsets = ((each.key, each.start.message_offset) for each in partitions)
        return holding_rules(self._hosted, offsets)

    def partitions(self) -> Iterator[WaitPartition]:
        """Each with the offset from which it is fetched."""
        for each in self._operation.partitions:
            yield WaitPartition(each.key, each.start.message_offset, 0)


class ReadCommittedWait(FetchWait):
    """A fetch of a ``read_committed`` consumer, which also waits for the end of transactions."""

    __slots__ = ()

    def condition(self) -> Facts:
        """The transaction that has held back a partition for the longest time, else the bytes."""
        facts = super().condition()
        keys = (each.key for each in self._operation.partitions)
        held = longest_held_back(self._hosted, keys)
        return facts if held is None else {**facts, "kind": "transaction", **held}

    def cause(self, present: Callable[[], Cause]) -> Cause | None:
        """The end of a transaction, if the event replicated its marker."""
        return with_transaction(self._hosted, super().cause(present))


class ProduceWait(OperationWait[DelayedProduce[TopicPartition]]):
    """A produce that waits for the high watermarks.

    *refused* are the partitions that were refused before the append.
    """

    __slots__ = ("_hosted", "_refused")
    purgatory = "Produce"

    def __init__(
        self,
        operation: DelayedProduce[TopicPartition],
        hosted: HostedPartitions,
        refused: Sequence[Produced] = (),
    ) -> None:
        self._operation = operation
        self._hosted = hosted
        self._refused = refused

    def release(self) -> None:
        """See `Wait`; no list contains a completed operation on one partition."""
        if len(self._operation.statuses) > 1:
            self._operation.release()

    def condition(self) -> Facts | None:
        """The first partition that is not decided, and the replicas that hold it back."""
        for key, status in self._operation.statuses.items():
            partition = self._hosted.get(key)
            if status.acks_pending and partition is not None:
                return _high_watermark(partition, status.required_offset)
        return None

    def partitions(self) -> Iterator[WaitPartition]:
        """Each with its base offset, -1 if nothing was appended."""
        for key, status in self._operation.statuses.items():
            error = 0 if status.acks_pending else status.error
            yield WaitPartition(key, status.response.base_offset, error)
        yield from map(_produced, self._refused)

    def partition_facts(self) -> Iterator[Facts]:
        """With the progress of the replicas."""
        statuses = self._operation.statuses
        for each in self.partitions():
            facts = _partition_facts_with_error(each)
            if each.key in statuses:
                needed_offset = statuses[each.key].required_offset
                facts |= _progress_facts(self._hosted.get(each.key), needed_offset)
            yield facts


class DeleteRecordsWait(OperationWait[DelayedDeleteRecords[TopicPartition]]):
    """A deletion of records that waits for the low watermarks."""

    __slots__ = ("_replicas",)
    purgatory = "DeleteRecords"

    def __init__(
        self, operation: DelayedDeleteRecords[TopicPartition], replicas: ReplicaManager
    ) -> None:
        self._operation = operation
        self._replicas = replicas

    def condition(self) -> Facts | None:
        """The first partition that is not decided, with its low watermark."""
        for key, status in self._operation.statuses.items():
            if status.acks_pending and key in self._replicas.partitions:
                had, _ = self._replicas.low_watermark(key)
                return {
                    "kind": "low_watermark",
                    "topic": key.topic,
                    "partition": key.partition,
                    "need": status.required_offset,
                    "had": had,
                }
        return None

    def partitions(self) -> Iterator[WaitPartition]:
        """Each with the offset before which its records are deleted."""
        for key, status in self._operation.statuses.items():
            error = 0 if status.acks_pending else status.error
            yield WaitPartition(key, status.required_offset, error)

    def partition_facts(self) -> Iterator[Facts]:
        """With the error of each partition."""
        return map(_partition_facts_with_error, self.partitions())


class FlushWait(Wait):
    """A produce that waits until its records are on the disk (``flush.messages``)."""

    __slots__ = ("_results",)
    purgatory = "Produce"

    def __init__(self, results: Sequence[Produced]) -> None:
        self._results = results

    def condition(self) -> Facts:
        """A flush has no counts."""
        return {"kind": "flush"}

    def cause(self, _present: Callable[[], Cause]) -> Cause:
        """The flush."""
        return FLUSHED

    def partitions(self) -> Iterator[WaitPartition]:
        """Each with its base offset, -1 if nothing was appended."""
        return map(_produced, self._results)

    def partition_facts(self) -> Iterator[Facts]:
        """With the error of each partition."""
        return map(_partition_facts_with_error, self.partitions())


def _partition_facts(each: WaitPartition) -> Facts:
    return {"topic": each.key.topic, "partition": each.key.partition, "offset": each.offset}


def _partition_facts_with_error(each: WaitPartition) -> Facts:
    return {**_partition_facts(each), "error": each.error}


def _produced(each: Produced) -> WaitPartition:
    key, _, result = each
    return WaitPartition(key, result.base_offset, result.error)


def _high_watermark(partition: Partition, need: int) -> Facts:
    behind = [each for each in _progress(partition) if each.in_sync and each.log_end_offset < need]
    leader_state = partition.leader_state
    rules = [] if leader_state is None else leader_state.rules_before(need)
    return {
        "kind": "high_watermark",
        "topic": partition.key.topic,
        "partition": partition.key.partition,
        "need": need,
        "had": partition.log.high_watermark,
        "behind": [each.node_id for each in behind],
        "behind_at": [each.log_end_offset for each in behind],
        **({"faults": rules} if rules else {}),
    }


def _progress_facts(partition: Partition | None, needed_offset: int) -> Facts:
    if partition is None:
        return {"needed_offset": needed_offset, "replicas": []}
    return {
        "needed_offset": needed_offset,
        "high_watermark": partition.log.high_watermark,
        "log_end_offset": partition.log.log_end_offset,
        "replicas": [
            {
                "node": each.node_id,
                "log_end_offset": each.log_end_offset,
                "behind": each.log_end_offset < needed_offset,
                "in_sync": each.in_sync,
                "caught_up_ms_ago": each.caught_up_ms_ago,
            }
            for each in _progress(partition)
        ],
    }


def _progress(partition: Partition) -> Iterable[ReplicaProgress]:
    leader_state = partition.leader_state
    return () if leader_state is None else leader_state.progress()
