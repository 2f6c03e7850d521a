"""Runs a coordinator over the partitions of its internal topic (Kafka's ``CoordinatorRuntime``).

A change of state is appended to the log before it is applied in memory, so the state is unchanged
if the log refuses it. A response waits until all records that the partition had at that time are
replicated. That includes a response that appends nothing, such as a heartbeat's: the state that it
reports could be lost with the leader. A response that waits for longer than the commit timeout is
COORDINATOR_NOT_AVAILABLE; the records may be replicated later, and the change stays in effect.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final, Protocol

from broker.common.errors import ApiError
from broker.coordinators.append_errors import as_coordinator_error
from broker.coordinators.coordinator_loader import CoordinatorLoader, CoordinatorPlayback
from broker.coordinators.coordinator_log import CoordinatorLog, TransactionalProducer
from broker.coordinators.coordinator_record import (
    CoordinatorRecord,
    CoordinatorRecordSerde,
    InconsistentRecord,
    RawRecord,
)
from broker.coordinators.deferred_event_queue import (
    DeferredEvent,
    DeferredEventQueue,
    OnReplicated,
)
from broker.coordinators.internal_topic import partition_for
from broker.coordinators.prepared_records import PreparedRecords
from protocol.codec import Malformed
from protocol.corrupt_records import CorruptRecords
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.coordinators")

# What the content of a log may cause; other exceptions are bugs and are logged with a traceback.
_UNREADABLE: Final = (ApiError, CorruptRecords, InconsistentRecord, Malformed)


class Coordinator(Protocol):
    """A coordinator that a runtime runs (the part of Kafka's ``CoordinatorShard`` used here)."""

    def new_state(self) -> CoordinatorPlayback:
        """Return an empty state, into which a partition is replayed."""
        ...

    def on_loaded(self, partition: int, state: Any) -> None:
        """Begin to coordinate the keys of *state*, which a partition was replayed into."""
        ...

    def on_unloaded(self, partition: int) -> None:
        """Drop the state of all keys of a partition, and end what waits on it."""
        ...


class CoordinatorRuntime:
    """The partitions of an internal topic that a node leads.

    ``partition_count`` is the configured count until the node leads a partition of the topic.
    ``uses_partial_state``: a partition that cannot be read completely is coordinated with the state
    that was read; otherwise it has no coordinator.
    """

    def __init__(
        self,
        topic_name: str,
        coordinator: Coordinator,
        serde: CoordinatorRecordSerde,
        timer: SystemTimer,
        actions: ActionQueue,
        wall_ms: Callable[[], int],
        *,
        partition_count: int,
        commit_timeout_ms: int,
        uses_partial_state: bool = False,
    ) -> None:
        self.topic_name = topic_name
        self.partition_count = partition_count
        self._coordinator = coordinator
        self._serde = serde
        self._timer = timer
        self._actions = actions
        self._wall_ms = wall_ms
        self._commit_timeout_ms = commit_timeout_ms
        self._uses_partial_state = uses_partial_state
        # Invariant: no partition is in both.
        self._loaders: dict[int, CoordinatorLoader] = {}
        self._partitions: dict[int, _Partition] = {}
        # Partitions whose last append is not replicated.
        # Invariant: the deferred events of all other partitions are completed.
        self._behind: set[int] = set()
        # The durations of the latest loads, for metrics.
        self.load_times_ms: deque[float] = deque(maxlen=100)

    # --------------------------------------------------------------------------- leadership

    def partition_for(self, key: str) -> int:
        """The partition that the records of *key* are in."""
        return partition_for(key, self.partition_count)

    def on_election(self, partition: int, coordinator_log: CoordinatorLog) -> None:
        """Load *partition*, which the node leads now, and coordinate its keys after that."""
        assert partition not in self._loaders
        assert partition not in self._partitions
        state = self._coordinator.new_state()
        on_loaded = partial(self._on_loaded, partition, coordinator_log, self._timer.now_ms())
        loader = self._loaders[partition] = CoordinatorLoader(
            self._timer,
            coordinator_log,
            state,
            self._wall_ms,
            on_loaded,
            partial(self._on_load_failed, partition, partial(on_loaded, state)),
        )
        loader.run()

    def _on_loaded(
        self,
        partition: int,
        coordinator_log: CoordinatorLog,
        begun_ms: float,
        state: CoordinatorPlayback,
    ) -> None:
        del self._loaders[partition]
        self.load_times_ms.append(self._timer.now_ms() - begun_ms)
        self._partitions[partition] = _Partition(
            coordinator_log, DeferredEventQueue(self._timer.on_error)
        )
        if coordinator_log.high_watermark < coordinator_log.end_offset:
            self._behind.add(partition)
        try:
            self._coordinator.on_loaded(partition, state)
        finally:
            self._actions.try_complete_actions()

    def _on_load_failed(
        self, partition: int, use_state: Callable[[], None], offset: int, error: Exception
    ) -> None:
        log.error(
            "partition %d of %s cannot be loaded because of offset %d: %s: %s",
            *(partition, self.topic_name, offset, type(error).__name__, error),
            exc_info=None if isinstance(error, _UNREADABLE) else error,
        )
        if self._uses_partial_state and partition in self._loaders:
            use_state()
        else:
            self.on_resignation(partition)

    def on_resignation(self, partition: int) -> None:
        """Unload *partition*; everything that waits on it is refused with NOT_COORDINATOR."""
        loader = self._loaders.pop(partition, None)
        if loader is not None:
            loader.cancel()
        self._coordinator.on_unloaded(partition)
        unloaded = self._partitions.pop(partition, None)
        self._behind.discard(partition)
        if unloaded is not None:
            unloaded.deferred.fail_all(ErrorCode.NOT_COORDINATOR)
        self._actions.try_complete_actions()

    def is_loading(self, key: str) -> bool:
        """Whether the partition of *key* is being loaded."""
        return self.partition_for(key) in self._loaders

    def check(self, key: str) -> None:
        """Raise `ApiError` unless this node coordinates *key* and has loaded its partition."""
        self.check_partition(self.partition_for(key))

    def check_partition(self, partition: int) -> None:
        """Raise `ApiError` unless this node leads *partition* and has loaded it."""
        if partition in self._loaders:
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        if partition not in self._partitions:
            raise ApiError(ErrorCode.NOT_COORDINATOR)

    def check_all(self) -> None:
        """Raise `ApiError` while any partition that the node leads is being loaded."""
        if self._loaders:
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)

    # --------------------------------------------------------------------------- writing

    def prepare(self, key: str) -> PreparedRecords:
        """Prepare a batch of records about *key*, without any.

        An error, such as that of another coordinator, is raised by `append`.
        """
        index = self.partition_for(key)
        try:
            self.check_partition(index)
        except ApiError as error:
            return PreparedRecords(self._serde, 0, error)
        return PreparedRecords(self._serde, self._partitions[index].log.batch_bytes_max)

    def append(
        self,
        key: str,
        records: Iterable[CoordinatorRecord | RawRecord] | PreparedRecords,
        producer: TransactionalProducer | None = None,
    ) -> int:
        """Append records about *key* in one batch; raises `ApiError` if the log refuses it.

        They belong to the transaction of *producer* if there is one. Returns the offset of the
        first record. The caller applies the records before it returns.
        """
        index = self.partition_for(key)
        self.check_partition(index)
        partition = self._partitions[index]
        if not isinstance(records, PreparedRecords):
            prepared = PreparedRecords(self._serde, partition.log.batch_bytes_max)
            prepared.add(records)
            records = prepared
        block = records.checked()
        if not len(block):
            return partition.end_offset
        try:
            partition.log.append(block, producer)
        except ApiError as refused:
            raise ApiError(as_coordinator_error(refused.code), refused.message) from refused
        self._has_appended(index, partition)
        return partition.end_offset - len(block)

    def append_marker(
        self,
        partition: int,
        producer_id: int,
        producer_epoch: int,
        marker: EndTxnMarker,
        transaction_version: int,
    ) -> None:
        """Append the marker that ends a transaction in *partition*.

        Raises `ApiError` with the log's own error if it refuses. The caller applies the marker
        before it returns.
        """
        self.check_partition(partition)
        led = self._partitions[partition]
        led.log.append_marker(producer_id, producer_epoch, marker, transaction_version)
        self._has_appended(partition, led)

    def _has_appended(self, index: int, partition: _Partition) -> None:
        partition.end_offset = partition.log.end_offset
        if partition.deferred or partition.log.high_watermark < partition.end_offset:
            self._behind.add(index)

    def coordinator_epoch(self, key: str) -> int:
        """The leader epoch in which this node loaded the partition of *key*."""
        return self._partitions[self.partition_for(key)].leader_epoch

    def write(
        self,
        key: str,
        records: Iterable[CoordinatorRecord],
        on_replicated: OnReplicated,
        timeout_ms: int | None = None,
    ) -> None:
        """Append records; *on_replicated* is called when they are replicated, or with an error.

        ``timeout_ms`` replaces the runtime's commit timeout.
        """
        try:
            self.append(key, records)
        except ApiError as error:
            on_replicated(error.code)
        else:
            self.when_replicated(key, on_replicated, timeout_ms)

    # --------------------------------------------------------------------------- waiting

    def is_replicated(self, key: str) -> bool:
        """Whether all records of the partition of *key* are replicated."""
        return not self._behind or self.partition_for(key) not in self._behind

    def when_replicated(
        self, key: str, on_replicated: OnReplicated, timeout_ms: int | None = None
    ) -> None:
        """Call back when all present records of the partition are replicated, or with an error.

        ``timeout_ms`` replaces the runtime's commit timeout.
        """
        if self.is_replicated(key):
            on_replicated(ErrorCode.NONE)
            return
        limit_ms = self._commit_timeout_ms if timeout_ms is None else timeout_ms
        event = DeferredEvent(on_replicated, limit_ms, self._actions)
        self._defer(key, event)
        self._timer.add(event)

    def when_partition_replicated(self, partition: int, on_replicated: OnReplicated) -> None:
        """As `when_replicated`, for a loaded partition."""
        if partition not in self._behind:
            on_replicated(ErrorCode.NONE)
            return
        led = self._partitions[partition]
        event = DeferredEvent(on_replicated, self._commit_timeout_ms, self._actions)
        led.deferred.add(led.end_offset, event)
        self._timer.add(event)

    def once_replicated(self, key: str, action: Callable[[], None]) -> None:
        """Run *action* when all present records of the partition are replicated, without a timeout.

        It does not run if the partition is unloaded before that.
        """
        if self.is_replicated(key):
            action()
            return
        event = DeferredEvent(lambda error: None if error else action(), 0, self._actions)
        self._defer(key, event)

    def _defer(self, key: str, event: DeferredEvent) -> None:
        partition = self._partitions[self.partition_for(key)]
        partition.deferred.add(partition.end_offset, event)

    def on_high_watermark(self, partition: int) -> None:
        """Complete the events that wait for offsets up to the log's high watermark.

        Called when the high watermark has moved, but never during an append: the caller of `append`
        has not applied its records then.
        """
        led = self._partitions.get(partition)
        if led is None or partition not in self._behind:
            return
        offset = led.log.high_watermark
        if led.end_offset <= offset:
            self._behind.discard(partition)
        led.deferred.complete_up_to(offset)
        self._actions.try_complete_actions()


class _Partition:
    """A loaded partition.

    ``end_offset`` is the end of the log after the runtime's last append, ``leader_epoch`` the epoch
    in which the node leads the partition.
    """

    __slots__ = ("deferred", "end_offset", "leader_epoch", "log")

    def __init__(self, coordinator_log: CoordinatorLog, deferred: DeferredEventQueue) -> None:
        self.log = coordinator_log
        self.end_offset = coordinator_log.end_offset
        self.leader_epoch = coordinator_log.leader_epoch
        self.deferred = deferred
