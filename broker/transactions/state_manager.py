"""The transactional ids of a node in memory and in the log (``TransactionStateManager``).

A transition is appended to the log first, and replaces the value in memory when the record is
replicated. Until then requests see the old value, and other transitions of the id are refused. If
the record is not replicated within the timeout of the transaction, the old value stays, although
the record may be replicated later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from broker.common.clock import Clock
from broker.config import Config
from broker.controller.metadata.image import TRANSACTION_STATE_TOPIC
from broker.coordinators.coordinator_record import CoordinatorRecord
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.steps.queue import Slices, StepQueue, completed
from broker.transactions.coordinator_state import CoordinatorState
from broker.transactions.log_records import transaction_record, transaction_records
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.transaction_state import TransactionState
from broker.transactions.transitions import check_transition
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

OnWritten = Callable[[ErrorCode], None]

_COMPLETE = (TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT)


class TransactionStateManager:
    """The transactional ids that a node coordinates.

    ``transaction_version`` returns the finalized level of that feature. *on_prepared* is called, in
    slices of *steps*, with each loaded id whose markers are outstanding, *on_unloaded* with the
    number of a partition of the topic that the node no longer coordinates.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        actions: ActionQueue,
        steps: StepQueue,
        transaction_version: Callable[[], int],
        on_prepared: Callable[[TransactionMetadata], None],
        on_unloaded: Callable[[int], None],
    ) -> None:
        self.transaction_version = transaction_version
        # The ids with an open transaction, for the check of timeouts.
        # Invariant: those whose value is Ongoing, except loaded ones that are not indexed yet.
        self.ongoing: dict[str, TransactionMetadata] = {}
        self._actions = actions
        self._steps = steps
        self._serde = transaction_records(transaction_version)
        self._on_prepared = on_prepared
        self._on_unloaded = on_unloaded
        # By partition of the topic, then by id.
        self._entries: dict[int, dict[str, TransactionMetadata]] = {}
        # By the producer id that an id has now.
        self._by_producer_id: dict[int, TransactionMetadata] = {}
        self.runtime = CoordinatorRuntime(
            TRANSACTION_STATE_TOPIC,
            self,
            self._serde,
            timer,
            actions,
            steps,
            clock.wall_ms,
            partition_count=config.transaction_state_log_num_partitions,
            commit_timeout_ms=config.request_timeout_ms,
            required_acks=-1,  # TransactionLog.EnforcedRequiredAcks
            uses_partial_state=True,
        )

    # --------------------------------------------------------------------------------- memory

    def get(self, transactional_id: str) -> TransactionMetadata | None:
        """The state of an id.

        Raises `ApiError` NOT_COORDINATOR or COORDINATOR_LOAD_IN_PROGRESS.
        """
        self.runtime.check(transactional_id)
        partition = self.runtime.partition_for(transactional_id)
        return self._entries[partition].get(transactional_id)

    def add(self, transactional_id: str, value: TransactionValue) -> TransactionMetadata:
        """Add an id that has no record yet."""
        partition = self.runtime.partition_for(transactional_id)
        entry = TransactionMetadata(transactional_id, value)
        self._entries[partition][transactional_id] = entry
        return entry

    def remove(self, entry: TransactionMetadata) -> None:
        """Remove an id, unless its partition was unloaded."""
        if self.is_current(entry):
            partition = self.runtime.partition_for(entry.transactional_id)
            self._by_producer_id.pop(entry.value.producer_id, None)
            del self._entries[partition][entry.transactional_id]

    def transactional_id(self, producer_id: int) -> str | None:
        """The id whose present producer id that is; None if this node coordinates none."""
        entry = self._by_producer_id.get(producer_id)
        return None if entry is None else entry.transactional_id

    def is_current(self, entry: TransactionMetadata) -> bool:
        """Whether *entry* was not removed or loaded again."""
        partition = self.runtime.partition_for(entry.transactional_id)
        return self._entries.get(partition, {}).get(entry.transactional_id) is entry

    def entries(self, partition: int) -> Iterator[TransactionMetadata]:
        """A snapshot of the ids of a partition of the topic."""
        return iter(list(self._entries.get(partition, {}).values()))

    def all_entries(self) -> Iterator[TransactionMetadata]:
        """The ids of all partitions that the node coordinates, each partition as a snapshot."""
        for partition in self.partitions():
            yield from self.entries(partition)

    def partitions(self) -> list[int]:
        """The partitions of the topic that the node coordinates."""
        return list(self._entries)

    # ---------------------------------------------------------------------------------- writes

    def append(
        self, entry: TransactionMetadata, value: TransactionValue, on_written: OnWritten
    ) -> None:
        """Write the transition to *value*, and apply it when it is replicated.

        *on_written* is called once, now or later. After COORDINATOR_NOT_AVAILABLE the end of a
        transaction stays pending, because the caller repeats it.
        """
        assert entry.pending in (None, value), "an id has one transition at a time"
        entry.pending = value
        self.runtime.write(
            entry.transactional_id,
            [transaction_record(entry.transactional_id, value, self.transaction_version())],
            partial(self._on_written, entry, value, on_written),
            value.timeout_ms,
        )

    def _on_written(
        self,
        entry: TransactionMetadata,
        value: TransactionValue,
        on_written: OnWritten,
        error: ErrorCode,
    ) -> None:
        if error is ErrorCode.NONE and not self.is_current(entry):
            error = ErrorCode.NOT_COORDINATOR
        if error is ErrorCode.NONE:
            check_transition(entry.value, value)
            self._by_producer_id.pop(entry.value.producer_id, None)
            entry.value, entry.pending = value, None
            entry.without_marker = set(value.partitions) if value.state.is_prepared else set()
            self._index(entry)
        elif error is not ErrorCode.COORDINATOR_NOT_AVAILABLE or value.state not in _COMPLETE:
            entry.pending = None
        on_written(error)

    def append_tombstones(
        self,
        entries: list[TransactionMetadata],
        records: list[CoordinatorRecord],
        on_written: OnWritten,
    ) -> None:
        """Write the tombstones of ids of one partition in one batch."""
        self.runtime.write(entries[0].transactional_id, records, on_written)

    def _index(self, entry: TransactionMetadata) -> None:
        self._by_producer_id[entry.value.producer_id] = entry
        if entry.value.state is TransactionState.ONGOING:
            self.ongoing[entry.transactional_id] = entry
        else:
            self.ongoing.pop(entry.transactional_id, None)

    # --------------------------------------------------------------------------------- loading

    def new_state(self) -> CoordinatorState:
        """See `Coordinator`."""
        return CoordinatorState(self._serde)

    def adopt(self, partition: int, state: CoordinatorState) -> Slices[None]:
        """See `Coordinator`; a partition has a table of its own."""
        for transactional_id in list(state.entries):
            if self.runtime.partition_for(transactional_id) != partition:
                state.remove(transactional_id)
            yield None

    def on_loaded(self, partition: int, state: CoordinatorState) -> None:
        """Coordinate the ids that were loaded, and end their prepared transactions in slices."""
        self._entries[partition] = state.entries
        self._steps.start(self._continue(state))

    def _continue(self, loaded: CoordinatorState) -> Slices[None]:
        """Index the loaded ids; those with outstanding markers first, because readers wait."""
        for entry in loaded.prepared.values():
            if self.is_current(entry):
                self._index(entry)
                self._on_prepared(entry)
                self._actions.try_complete_actions()
            yield None
        for entry in list(loaded.entries.values()):
            if self.is_current(entry):
                self._index(entry)
            yield None

    def on_replicated(self, partition: int, state: CoordinatorState) -> Slices[None]:  # noqa: ARG002 - see `Coordinator`
        """Do nothing: requests read what was loaded at once, as in Kafka."""
        return completed(None)

    def on_unloaded(self, partition: int) -> Slices[None]:
        """Drop the ids of a partition; what was being written gets NOT_COORDINATOR."""
        for transactional_id, entry in self._entries.pop(partition, {}).items():
            self.ongoing.pop(transactional_id, None)
            self._by_producer_id.pop(entry.value.producer_id, None)
        self._on_unloaded(partition)
        return completed(None)
