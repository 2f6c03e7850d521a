"""Runs a coordinator over the partitions of its internal topic (Kafka's ``CoordinatorRuntime``).

A change of state is appended to the log before it is applied in memory, so the state is unchanged
if the log refuses it. A response waits until all records that the partition had at that time are
replicated. That includes a response that appends nothing, such as a heartbeat's: the state that it
reports could be lost with the leader. A response that waits for longer than the commit timeout is
COORDINATOR_NOT_AVAILABLE; the records may be replicated later, and the change stays in effect.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from broker.common.errors import ApiError
from broker.controller.metadata.image import Broker, MetadataImage
from broker.coordinators.acting_slices import Run, run_without_cause
from broker.coordinators.append_errors import as_coordinator_error
from broker.coordinators.coordinator_log import CoordinatorLog, TransactionalProducer
from broker.coordinators.coordinator_record import (
    CoordinatorRecord,
    CoordinatorRecordSerde,
    RawRecord,
)
from broker.coordinators.deferred_event_queue import DeferredEvent, OnReplicated
from broker.coordinators.internal_topic import partition_for, partition_leader
from broker.coordinators.led_partition import LedPartition
from broker.coordinators.partition_loads import Coordinator, PartitionLoads
from broker.coordinators.prepared_records import PreparedRecords
from broker.steps.queue import StepQueue
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer


class CoordinatorRuntime:
    """The partitions of an internal topic that a node leads.

    ``partition_count`` is that of the topic when the node starts, or the configured one if the
    topic does not exist then. It stays when the topic grows or is replaced, as in Kafka: otherwise
    a key would have another partition than its records.
    ``required_acks`` are those of its appends: 1, so that records are also appended while the
    partition is below ``min.insync.replicas``, where responses wait for the commit timeout; or -1,
    with which such an append is refused.
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
        steps: StepQueue,
        wall_ms: Callable[[], int],
        *,
        partition_count: int,
        commit_timeout_ms: int,
        required_acks: int = 1,
        uses_partial_state: bool = False,
    ) -> None:
        self.topic_name = topic_name
        self.required_acks = required_acks
        self.partition_count = partition_count
        self._serde = serde
        self._timer = timer
        self._actions = actions
        self._commit_timeout_ms = commit_timeout_ms
        # Those whose requests are accepted.
        self._partitions: dict[int, LedPartition] = {}
        # Partitions whose last append is not replicated, or whose loaded records are not noted as
        # replicated. Invariant: the deferred events of all other partitions are completed.
        self._behind: set[int] = set()
        self._loads = PartitionLoads(
            topic_name,
            coordinator,
            self,
            timer,
            actions,
            steps,
            wall_ms,
            uses_partial_state=uses_partial_state,
        )

    # --------------------------------------------------------------------------- leadership

    @property
    def load_times_ms(self) -> Collection[float]:
        """The durations of the latest loads, for metrics."""
        return self._loads.times_ms

    def begin(self, image: MetadataImage) -> None:
        """Note the partition count when the node starts (Kafka's ``startup`` of a coordinator)."""
        assert not self._partitions, "no partition is loaded before the start"
        topic = image.topic(self.topic_name)
        if topic is not None:
            self.partition_count = len(topic.partitions)

    def partition_for(self, key: str) -> int:
        """The partition that the records of *key* are in."""
        return partition_for(key, self.partition_count)

    def coordinator(self, key: str, image: MetadataImage) -> Broker:
        """The node that coordinates *key* according to *image*.

        Raises `ApiError` COORDINATOR_NOT_AVAILABLE if there is none.
        """
        return partition_leader(self.topic_name, self.partition_for(key), image)

    def on_election(self, partition: int, coordinator_log: CoordinatorLog) -> None:
        """Load *partition*, which the node leads now, and coordinate its keys after that."""
        assert partition not in self._partitions
        self._loads.begin(partition, coordinator_log)

    def loaded(self, partition: int, led: LedPartition) -> None:
        """Accept requests about the keys of *partition* (`LoadedPartitions`)."""
        assert partition not in self._partitions
        self._partitions[partition] = led
        if not led.is_noted or led.log.high_watermark < led.end_offset:
            self._behind.add(partition)

    def on_resignation(self, partition: int, run: Run = run_without_cause) -> None:
        """Unload *partition*; everything that waits on it is refused with NOT_COORDINATOR.

        That takes some slices; *run* runs the pieces of them.
        """
        led = self._partitions.pop(partition, None)
        self._behind.discard(partition)
        self._loads.end(partition, led, run)

    def loaded_partitions(self) -> Collection[int]:
        """The partitions whose requests are accepted."""
        return self._partitions.keys()

    def is_loading(self, key: str) -> bool:
        """Whether the partition of *key* is being loaded."""
        return self.partition_for(key) in self._loads.loading

    def check(self, key: str) -> None:
        """Raise `ApiError` unless this node coordinates *key* and has loaded its partition."""
        self.check_partition(self.partition_for(key))

    def check_partition(self, partition: int) -> None:
        """Raise `ApiError` unless this node leads *partition* and has loaded it."""
        if partition in self._loads.loading:
            raise ApiError(ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
        if partition not in self._partitions:
            raise ApiError(ErrorCode.NOT_COORDINATOR)

    def check_all(self) -> None:
        """Raise `ApiError` while any partition that the node leads is being loaded."""
        if self._loads.loading:
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

    def _has_appended(self, index: int, partition: LedPartition) -> None:
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
        if not led.is_noted:
            self._loads.note_replicated(partition, led)
            return
        offset = led.log.high_watermark
        if led.end_offset <= offset:
            self._behind.discard(partition)
        led.deferred.complete_up_to(offset)
        self._actions.try_complete_actions()
