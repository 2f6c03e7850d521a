"""What a node does with its replicas: appends, reads, and the requests that wait on either.

Kafka's ``ReplicaManager``. A produce with acks=all and a fetch that finds too little become
delayed operations, watched on their partitions; what moves a log end or a high watermark checks
those keys. Checks that follow from an append are queued as an action and run when the request that
appended is through (KAFKA-8334), so that no completion runs inside another operation's work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from broker.config import Config
from broker.controller.image import TopicImage
from broker.errors import ApiError
from broker.replication.fetch_data import FetchParams, FetchPartition, LogReadResult
from broker.replication.fetch_source import LogFetchSource
from broker.replication.log_reader import read_from_logs
from broker.replication.partition import Partition
from broker.storage.append import AppendRefused
from broker.storage.log_manager import LogManager
from broker.topic_config import TopicConfig
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.operations.delayed_fetch import DelayedFetch, FetchPartitionStatus
from purgatories.operations.delayed_produce import DelayedProduce, ProducePartitionStatus
from purgatories.purgatory import DelayedOperationPurgatory


@dataclass(slots=True)
class ProduceResult:
    """One partition's part of a produce answer; -1 where an error leaves nothing to tell."""

    error: ErrorCode
    base_offset: int = -1
    log_append_time: int = -1
    log_start_offset: int = -1
    record_errors: Sequence[tuple[int, str | None]] = ()
    message: str | None = None


ProduceResults = dict[TopicPartition, ProduceResult]
FetchResults = list[LogReadResult]


class ReplicaManager:
    """The partitions a node hosts, and the purgatories of produce and fetch."""

    def __init__(
        self,
        node_id: int,
        config: Config,
        logs: LogManager,
        produce_purgatory: DelayedOperationPurgatory[Any],
        fetch_purgatory: DelayedOperationPurgatory[Any],
    ) -> None:
        self.partitions: dict[TopicPartition, Partition] = {}
        self.actions = ActionQueue()
        self.produce_purgatory = produce_purgatory
        self.fetch_purgatory = fetch_purgatory
        self._node_id = node_id
        self._config = config
        self._logs = logs

    # ------------------------------------------------------------------------------ produce

    def append_records(
        self,
        timeout_ms: int,
        required_acks: int,
        entries: dict[TopicPartition, memoryview],
        produce_version: int,
        on_response: Callable[[ProduceResults], None],
    ) -> DelayedProduce[TopicPartition] | None:
        """Append to each partition; answer at once, or when all in-sync replicas have it.

        Returns the operation if it waits. Kafka's ``ReplicaManager.appendRecords``.
        """
        results: ProduceResults = {}
        statuses: dict[TopicPartition, ProducePartitionStatus] = {}
        moved: list[tuple[TopicPartition, bool]] = []
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
                moved.append((key, high_watermark_moved))
        if moved:
            self.actions.add(partial(self._wake_after_append, moved))
        if required_acks != -1 or failed == len(entries):
            on_response(results)
            return None

        def answer(decided: dict[TopicPartition, ProducePartitionStatus]) -> None:
            for key, status in decided.items():
                results[key].error = ErrorCode(status.error)
            on_response(results)

        operation = DelayedProduce(timeout_ms, statuses, self, answer)
        done = self.produce_purgatory.try_complete_else_watch(operation, list(entries))
        return None if done else operation

    def check_enough_replicas(self, key: TopicPartition, required_offset: int) -> tuple[bool, int]:
        """Whether the in-sync replicas have all below *required_offset*; a waiting produce asks."""
        partition = self.partitions.get(key)
        if partition is None:
            return False, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        return partition.check_enough_replicas(required_offset)

    def _append(
        self, key: TopicPartition, records: memoryview, required_acks: int, produce_version: int
    ) -> tuple[ProduceResult, int, bool | None]:
        """The result, the offset to wait for, and whether the high watermark moved.

        None instead of the latter: nothing was appended (a duplicate, or refused).
        """
        partition = self.partitions.get(key)
        if partition is None:
            return ProduceResult(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION), -1, None
        log_start_offset = partition.log.log_start_offset
        try:
            appended = partition.append_as_leader(records, required_acks, produce_version)
        except AppendRefused as refusal:
            result = ProduceResult(
                refusal.error,
                log_start_offset=log_start_offset,
                record_errors=refusal.record_errors,
                message=refusal.message,
            )
            return result, -1, None
        except ApiError as error:
            start = log_start_offset if error.code is ErrorCode.NOT_ENOUGH_REPLICAS else -1
            result = ProduceResult(error.code, log_start_offset=start, message=error.message)
            return result, -1, None
        info = appended.info
        result = ProduceResult(
            ErrorCode.NONE, info.first_offset, info.log_append_time, info.log_start_offset
        )
        moved = None if info.duplicate else appended.high_watermark_moved
        return result, info.last_offset + 1, moved

    def _wake_after_append(self, appended: list[tuple[TopicPartition, bool]]) -> None:
        for key, high_watermark_moved in appended:
            if high_watermark_moved:
                self.produce_purgatory.check_and_complete(key)
            self.fetch_purgatory.check_and_complete(key)

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
        results = read_from_logs(self.partitions, params, wanted)
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
                asked.key,
                result.start,
                asked.max_bytes,
                asked.current_leader_epoch,
                asked.last_fetched_epoch,
            )
            for asked, result in zip(wanted, results, strict=True)
        ]
        operation = DelayedFetch(
            params.max_wait_ms,
            params.min_bytes,
            statuses,
            LogFetchSource(self.partitions, params),
            lambda: on_response(read_from_logs(self.partitions, params, wanted)),
        )
        keys = [asked.key for asked in wanted]
        done = self.fetch_purgatory.try_complete_else_watch(operation, keys)
        return None if done else operation

    # ----------------------------------------------------------------------------- metadata

    def host(self, topic: TopicImage) -> None:
        """Make the image's word about *topic* true: open its logs here, lead what is ours."""
        config = TopicConfig(self._config, topic.configs)
        for index, registration in enumerate(topic.partitions):
            if self._node_id not in registration.replicas:
                continue
            key = TopicPartition(topic.name, index)
            partition = self.partitions.get(key)
            if partition is None:
                log = self._logs.get_or_create(key, topic.topic_id, config.log_config())
                partition = self.partitions[key] = Partition(
                    key,
                    topic.topic_id,
                    self._node_id,
                    log,
                    registration,
                    config.min_insync_replicas,
                )
                partition.make_leader(registration)

    def drop(self, topic: TopicImage) -> None:
        """Delete the topic's logs here; whoever waits on them is told.

        Removed from the map first, so that the checks find nothing (Kafka's stopReplicas).
        """
        for index in range(len(topic.partitions)):
            key = TopicPartition(topic.name, index)
            if self.partitions.pop(key, None) is None:
                continue
            self._logs.delete(key)
            self.produce_purgatory.check_and_complete(key)
            self.fetch_purgatory.check_and_complete(key)
