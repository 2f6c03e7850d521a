"""A replica manager with purgatories on a fake node, which acts only as the test says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from broker.common.state_changes import StateChanges
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchParams, FetchPartition
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.replication.replica_manager import (
    DeleteResults,
    FetchResults,
    ProduceResults,
    ReplicaManager,
)
from broker.steps.queue import finish
from broker.wait_records.causes import CauseKind
from protocol.errors import ErrorCode
from protocol.record_batch.header import TRANSACTIONAL_BIT
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.broker.replication.world import (
    KEY,
    OTHER,
    FakeNode,
    hosted,
    make_follower,
    make_partition,
    records,
    waiting,
)
from tests.broker.storage.logs import marker

ALL = (1, 2, 3)


class Desk(FakeNode):
    """Node 1 leads two partitions with three replicas; changes check the waiting operations."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._timers: list[SystemTimer] = []
        self.purgatories = PartitionPurgatories(
            self._purgatory("Produce"),
            self._purgatory("Fetch"),
            self._purgatory("DeleteRecords"),
            self._purgatory("ShareFetch"),
            StateChanges(),
        )
        self.partitions = hosted(
            *(make_partition(folder, key, node=self, isr=ALL, replicas=ALL) for key in (KEY, OTHER))
        )
        self.manager = ReplicaManager(self.partitions, self.purgatories, self.now_ms)

    def _purgatory(self, name: str) -> DelayedOperationPurgatory[Any]:
        self._timers.append(SystemTimer(name, now_ms=self.now_ms))
        return DelayedOperationPurgatory(name, self._timers[-1])

    def offsets_moved(self, key: TopicPartition, offset: int, replica: int | None) -> None:
        super().offsets_moved(key, offset, replica)
        self.purgatories.after_offsets_moved(key, offset, replica)

    def advance(self, milliseconds: float) -> None:
        """Advance the time."""
        self.time_ms += milliseconds
        for timer in self._timers:
            timer.advance_clock(0)

    def lose(self, key: TopicPartition) -> None:
        """Another node becomes leader of the partition."""
        make_follower(self.partitions[key])
        self.purgatories.after_leaving(key, CauseKind.LEADERSHIP)

    def drop(self, key: TopicPartition) -> None:
        """The partition's topic is deleted."""
        self.partitions.remove(key)
        self.purgatories.after_leaving(key, CauseKind.DELETED)

    def partition(self, key: TopicPartition = KEY) -> Partition:
        """One of the two partitions."""
        return self.partitions[key]

    # -------------------------------------------------------------------------------- requests

    def produce(
        self, *keys: TopicPartition, acks: int = -1, timeout_ms: int = 1000
    ) -> list[ProduceResults]:
        """Produce one record to each partition and run the actions; the list gets the response."""
        entries = {key: records(b"a") for key in keys or (KEY,)}
        return self._produce(entries, acks, timeout_ms)

    def produce_numbered(self) -> list[ProduceResults]:
        """Produce the same numbered record again, as a producer that retries."""
        numbered = records(b"a", producer_id=7, producer_epoch=0, base_sequence=0)
        return self._produce({KEY: numbered}, -1, 1000)

    def _produce(
        self,
        entries: dict[TopicPartition, memoryview],
        acks: int,
        timeout_ms: int,
        guards: dict[TopicPartition, int] | None = None,
    ) -> list[ProduceResults]:
        responses: list[ProduceResults] = []
        self.manager.append_records(timeout_ms, acks, entries, 9, responses.append, guards or {})
        self.manager.actions.try_complete_actions()
        return responses

    def produce_in_transaction(
        self, key: TopicPartition = KEY, producer_id: int = 7
    ) -> list[ProduceResults]:
        """Produce the first record of a transaction of a producer, with ``acks=1``."""
        partition = self.partition(key)
        guard = partition.maybe_start_transaction_verification(producer_id, 0, 0, False)
        sent = records(
            b"a",
            producer_id=producer_id,
            producer_epoch=0,
            base_sequence=0,
            attributes=TRANSACTIONAL_BIT,
        )
        return self._produce({key: sent}, 1, 1000, {key: guard})

    def mark(
        self,
        *keys: TopicPartition,
        producer_id: int = 7,
        epoch: int = 0,
        version: int = 0,
        abort: bool = False,
    ) -> list[dict[TopicPartition, ErrorCode]]:
        """End a producer's transaction in each partition; the list gets the response."""
        responses: list[dict[TopicPartition, ErrorCode]] = []
        markers = {key: marker(0, producer_id, epoch=epoch, abort=abort) for key in keys or (KEY,)}
        self.manager.append_markers(1000, markers, version, responses.append)
        self.manager.actions.try_complete_actions()
        return responses

    def fetch(
        self, params: FetchParams, *wanted: FetchPartition, max_wait_ms: int = 1000
    ) -> list[FetchResults]:
        """Fetch; the list gets the response."""
        responses: list[FetchResults] = []
        params = waiting(params, max_wait_ms)
        self.manager.fetch_messages(params, list(wanted), responses.append)
        return responses

    def delete(
        self, offsets: dict[TopicPartition, int], timeout_ms: int = 1000
    ) -> list[DeleteResults]:
        """Delete records; the list gets the response."""
        responses: list[DeleteResults] = []
        finish(self.manager.delete_records(timeout_ms, offsets, responses.append))
        return responses
