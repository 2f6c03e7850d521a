"""The share coordinator of a node (Kafka's ``ShareCoordinatorService`` and ``-Shard``).

It stores the state of share partitions for the leaders of their partitions. The leader of the
partition of ``__share_group_state`` that the text of a share partition is hashed to coordinates it.
A result is passed to its callback when all records that it depends on are replicated.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final, TypeVar
from uuid import UUID

from broker.common.clock import Clock
from broker.common.error_messages import message_of
from broker.common.errors import ApiError
from broker.config import Config
from broker.controller.metadata.image import SHARE_GROUP_STATE_TOPIC, MetadataImage
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.share.persister import (
    SUCCEEDED,
    PersisterResult,
    ReadResult,
    StateWrite,
    SummaryResult,
)
from broker.share.share_partition_key import SharePartitionKey
from broker.share_coordinator.refusals import (
    FENCED_LEADER,
    FENCED_STATE,
    NEGATIVE_PARTITION,
    UNINITIALIZED_READ,
    UNINITIALIZED_WRITE,
    UNKNOWN_PARTITION,
)
from broker.share_coordinator.serde import SHARE_STATE_RECORDS
from broker.share_coordinator.share_partition_state import (
    SharePartitionState,
    initialized,
    snapshot_record,
    tombstone,
    update_record,
)
from broker.share_coordinator.share_states import HighestEpochs, ShareStates
from broker.steps.queue import Slices, StepQueue, completed
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.coordinators")

Result = TypeVar("Result", bound=PersisterResult)

_NO_LEADER_EPOCH: Final = -1
_NO_STATE_EPOCH: Final = -1


class ShareCoordinator:
    """The share partitions that a node coordinates; the operations are those of `Persister`.

    A callback is called once, before the call returns or later.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        actions: ActionQueue,
        steps: StepQueue,
        image: Callable[[], MetadataImage],
    ) -> None:
        self._config = config
        self._wall_ms = clock.wall_ms
        self._image = image
        # By partition of the topic.
        self.states: dict[int, ShareStates] = {}
        self.runtime = CoordinatorRuntime(
            SHARE_GROUP_STATE_TOPIC,
            self,
            SHARE_STATE_RECORDS,
            timer,
            actions,
            steps,
            clock.wall_ms,
            partition_count=config.share_coordinator_state_topic_num_partitions,
            commit_timeout_ms=config.share_coordinator_write_timeout_ms,
        )

    # ----------------------------------------------------------------------------- operations

    def initialize(
        self,
        key: SharePartitionKey,
        state_epoch: int,
        start_offset: int,
        done: Callable[[PersisterResult], None],
    ) -> None:
        """Create or reset a state; see `Persister`."""

        def change() -> PersisterResult:
            epochs = self._epochs(key)
            if epochs is not None and _NO_STATE_EPOCH != state_epoch < epochs.state_epoch:
                raise FENCED_STATE
            self._check_exists(key)
            state = initialized(self.state(key), state_epoch, start_offset, self._wall_ms())
            self._append(key, snapshot_record(key, state))
            return SUCCEEDED

        self._run(key, change, PersisterResult, done)

    def read(
        self, key: SharePartitionKey, leader_epoch: int, done: Callable[[ReadResult], None]
    ) -> None:
        """Read a state; a new leader epoch is written first. See `Persister`."""

        def read() -> ReadResult:
            state = self._initialized(key, UNINITIALIZED_READ)
            self._check_leader(key, leader_epoch)
            self._check_exists(key)
            epochs = self._epochs(key)
            if epochs is not None and leader_epoch > epochs.leader_epoch:
                self._write(
                    key,
                    state,
                    StateWrite(
                        state_epoch=state.state_epoch,
                        leader_epoch=leader_epoch,
                        start_offset=state.start_offset,
                        delivery_complete_count=state.delivery_complete_count,
                    ),
                )
            return ReadResult(
                state_epoch=state.state_epoch,
                start_offset=state.start_offset,
                batches=list(state.batches),
            )

        self._run(key, read, ReadResult, done)

    def write(
        self, key: SharePartitionKey, change: StateWrite, done: Callable[[PersisterResult], None]
    ) -> None:
        """Store a change; see `Persister`."""

        def write() -> PersisterResult:
            state = self._initialized(key, UNINITIALIZED_WRITE)
            self._check_leader(key, change.leader_epoch)
            epochs = self._epochs(key)
            assert epochs is not None
            if _NO_STATE_EPOCH != change.state_epoch < epochs.state_epoch:
                raise FENCED_STATE
            self._check_exists(key)
            self._write(key, state, change)
            return SUCCEEDED

        self._run(key, write, PersisterResult, done)

    def delete(self, key: SharePartitionKey, done: Callable[[PersisterResult], None]) -> None:
        """Delete a state, if there is one."""

        def delete() -> PersisterResult:
            self._check_exists(key)
            if self.state(key) is not None:
                self._append(key, tombstone(key))
            return SUCCEEDED

        self._run(key, delete, PersisterResult, done)

    def read_summary(
        self, key: SharePartitionKey, _leader_epoch: int, done: Callable[[SummaryResult], None]
    ) -> None:
        """Read the epochs and the start offset; as in Kafka, the leader epoch is not checked."""

        def summarize() -> SummaryResult:
            self._check_exists(key)
            state = self.state(key)
            if state is None:
                return SummaryResult()
            return SummaryResult(
                state_epoch=state.state_epoch,
                leader_epoch=state.leader_epoch,
                start_offset=state.start_offset,
                delivery_complete_count=state.delivery_complete_count,
            )

        self._run(key, summarize, SummaryResult, done)

    # --------------------------------------------------------------------------------- states

    def state(self, key: SharePartitionKey) -> SharePartitionState | None:
        """The state of a share partition that this node coordinates; None if there is none."""
        states = self.states.get(self.runtime.partition_for(str(key)))
        return None if states is None else states.states.get(key)

    def _epochs(self, key: SharePartitionKey) -> HighestEpochs | None:
        return self.states[self.runtime.partition_for(str(key))].epochs.get(key)

    def _initialized(self, key: SharePartitionKey, refusal: ApiError) -> SharePartitionState:
        state = self.state(key)
        if state is None:
            raise refusal
        return state

    def _check_leader(self, key: SharePartitionKey, leader_epoch: int) -> None:
        epochs = self._epochs(key)
        assert epochs is not None, "an initialized share partition has epochs"
        if _NO_LEADER_EPOCH != leader_epoch < epochs.leader_epoch:
            raise FENCED_LEADER

    def _check_exists(self, key: SharePartitionKey) -> None:
        topic = self._image().topic_by_id(key.topic_id)
        if topic is None or key.partition >= len(topic.partitions):
            raise UNKNOWN_PARTITION

    # --------------------------------------------------------------------------------- writing

    def _run(
        self,
        key: SharePartitionKey,
        operation: Callable[[], Result],
        refused: Callable[..., Result],
        done: Callable[[Result], None],
    ) -> None:
        """Call *done* with the result when it is replicated, or with what is *refused*."""
        text = str(key)
        try:
            if key.partition < 0:
                raise NEGATIVE_PARTITION
            self.runtime.check(text)
            result = operation()
        except ApiError as refusal:
            message = refusal.message or message_of(refusal.code)
            done(refused(error=refusal.code, message=message))
            return

        def on_replicated(error: ErrorCode) -> None:
            done(refused(error=error, message=message_of(error)) if error else result)

        self.runtime.when_replicated(text, on_replicated)

    def _write(
        self, key: SharePartitionKey, state: SharePartitionState, change: StateWrite
    ) -> None:
        """Append an update, or a snapshot after enough updates."""
        limit = self._config.share_coordinator_snapshot_update_records_per_snapshot
        if state.update_count >= limit:
            record = snapshot_record(key, state.snapshot_after(change, self._wall_ms()))
        else:
            record = update_record(key, state.snapshot_epoch, change)
        self._append(key, record)

    def _append(self, key: SharePartitionKey, record: CoordinatorRecord) -> None:
        text = str(key)
        offset = self.runtime.append(text, [record])
        self.states[self.runtime.partition_for(text)].apply(key, record, offset)

    def topics_deleted(self, topic_ids: Iterable[UUID]) -> None:
        """Delete the states of topics that have been deleted.

        A partition whose log refuses the tombstones keeps them until its next `repeat_snapshots`.
        """
        deleted = frozenset(topic_ids)
        for partition in self.states:
            try:
                self._delete_states(partition, deleted.__contains__)
            except ApiError as error:
                log.warning("partition %d keeps states of deleted topics: %s", partition, error)

    def _delete_states(self, partition: int, is_deleted: Callable[[UUID], bool]) -> None:
        for key in [each for each in self.states[partition].states if is_deleted(each.topic_id)]:
            self._append(key, tombstone(key))

    def repeat_snapshots(self, partition: int) -> None:
        """Write a snapshot of each share partition that has not changed for an interval.

        Nothing is written if all of them are such repetitions already (Kafka's
        ``snapshotColdPartitions``). States of topics that do not exist are deleted first; Kafka
        keeps them. Raises `ApiError` if the log refuses a record.
        """
        image = self._image()
        self._delete_states(partition, lambda topic_id: image.topic_by_id(topic_id) is None)
        states = self.states[partition].states
        if all(state.is_repeated for state in states.values()):
            return
        now_ms = self._wall_ms()
        limit_ms = now_ms - self._config.share_coordinator_cold_partition_snapshot_interval_ms
        for key, state in list(states.items()):
            if state.write_timestamp <= limit_ms:
                self._append(key, snapshot_record(key, state.repeated(now_ms)))

    # --------------------------------------------------------------------------------- loading

    def new_state(self) -> ShareStates:
        """See `Coordinator`."""
        return ShareStates()

    def adopt(self, partition: int, state: ShareStates) -> Slices[None]:
        """See `Coordinator`; a partition has a table of its own."""
        for key in list(state.states):
            if self.runtime.partition_for(str(key)) != partition:
                state.leave_out(key)
            yield None

    def on_loaded(self, partition: int, state: ShareStates) -> None:
        """Coordinate the share partitions that were loaded."""
        self.states[partition] = state

    def on_replicated(self, partition: int, state: ShareStates) -> Slices[None]:  # noqa: ARG002 - see `Coordinator`
        """Do nothing: requests read what is written."""
        return completed(None)

    def on_unloaded(self, partition: int) -> Slices[None]:
        """Drop the share partitions of a partition of the topic."""
        self.states.pop(partition, None)
        return completed(None)
