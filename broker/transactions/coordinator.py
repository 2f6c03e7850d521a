"""The transaction coordinator of a node (Kafka's ``TransactionCoordinator``)."""

from __future__ import annotations

from collections.abc import Callable, Collection

from broker.common.clock import Clock
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.controller.image import TRANSACTION_STATE_TOPIC
from broker.coordinators.coordinator_runtime import CoordinatorRuntime
from broker.transactions.coordinator_state import CoordinatorState
from broker.transactions.log_records import transaction_records
from broker.transactions.marker_sender import MarkerSender
from broker.transactions.metadata import TransactionMetadata
from broker.transactions.requests import EndTxnResult, InitProducerId, InitProducerIdResult
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer


class TransactionCoordinator:
    """The transactional ids that a node coordinates.

    ``transaction_version`` returns the finalized level of that feature.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        actions: ActionQueue,
        markers: MarkerSender,
        transaction_version: Callable[[], int],
    ) -> None:
        self._serde = transaction_records(transaction_version)
        self._markers = markers
        # By partition of the topic, then by id.
        self._entries: dict[int, dict[str, TransactionMetadata]] = {}
        self.runtime = CoordinatorRuntime(
            TRANSACTION_STATE_TOPIC,
            self,
            self._serde,
            timer,
            actions,
            clock.wall_ms,
            partition_count=config.transaction_state_log_num_partitions,
            commit_timeout_ms=config.transaction_max_timeout_ms,
        )

    def init_producer_id(
        self, _request: InitProducerId, on_response: Callable[[InitProducerIdResult], None]
    ) -> None:
        """Begin a session of a producer; aborts the transaction that an earlier one left open."""
        on_response(InitProducerIdResult(ErrorCode.COORDINATOR_NOT_AVAILABLE))

    def add_partitions(
        self,
        _transactional_id: str,
        _producer_id: int,
        _producer_epoch: int,
        _partitions: Collection[TopicPartition],
        _client_version: int,
        on_response: Callable[[ErrorCode], None],
    ) -> None:
        """Add partitions to the transaction, which begins with the first one."""
        on_response(ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def verify_partitions(
        self,
        _transactional_id: str,
        _producer_id: int,
        _producer_epoch: int,
        partitions: Collection[TopicPartition],
    ) -> dict[TopicPartition, ErrorCode]:
        """Check which partitions the transaction has; TRANSACTION_ABORTABLE for the others."""
        return dict.fromkeys(partitions, ErrorCode.COORDINATOR_NOT_AVAILABLE)

    def end_txn(
        self,
        _transactional_id: str,
        _producer_id: int,
        _producer_epoch: int,
        _commit: bool,
        _client_version: int,
        on_response: Callable[[EndTxnResult], None],
    ) -> None:
        """Commit or abort; responds when the decision is replicated, before markers are sent."""
        on_response(EndTxnResult(ErrorCode.COORDINATOR_NOT_AVAILABLE))

    def metadata_of(self, transactional_id: str) -> TransactionMetadata | None:
        """The state of an id; raises `ApiError` unless this node coordinates it."""
        self.runtime.check(transactional_id)
        partition = self.runtime.partition_for(transactional_id)
        return self._entries[partition].get(transactional_id)

    # ------------------------------------------------------------------------------ markers

    def marker_written(
        self, transactional_id: str, coordinator_epoch: int, partition: TopicPartition
    ) -> None:
        """See `MarkerCallbacks`."""

    def markers_stopped(self, transactional_id: str, coordinator_epoch: int) -> None:
        """See `MarkerCallbacks`."""

    # ------------------------------------------------------------------------------ loading

    def new_state(self) -> CoordinatorState:
        """See `Coordinator`."""
        return CoordinatorState(self._serde)

    def on_loaded(self, partition: int, state: CoordinatorState) -> None:
        """Coordinate the ids that were loaded."""
        self._entries[partition] = state.entries

    def on_unloaded(self, partition: int) -> None:
        """Drop the ids of a partition, and their markers that were not sent."""
        self._entries.pop(partition, None)
        self._markers.remove_partition(partition)
