"""The transaction coordinator of a node (Kafka's ``TransactionCoordinator``)."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import partial

from broker.common.clock import Clock
from broker.common.do_nothing import do_nothing
from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.coordinators.coordinator_timer import RETRY_BACKOFF_MS, CoordinatorTimer
from broker.steps.queue import Slices, StepQueue
from broker.transactions.additions import add, verify
from broker.transactions.ending import end, fence
from broker.transactions.initialization import initialize, new_value
from broker.transactions.marker_sender import MarkerSender, PendingMarkers
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.producer_ids import ProducerIdManager
from broker.transactions.requests import (
    EndTxn,
    EndTxnResult,
    InitProducerId,
    InitProducerIdResult,
)
from broker.transactions.state_manager import TransactionStateManager
from broker.transactions.timeouts import is_timed_out
from broker.transactions.transaction_state import TransactionState
from broker.transactions.transitions import EPOCH_BUMP_SINCE, completed
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

log = logging.getLogger("antechamber.transactions")

OnEnd = Callable[[EndTxnResult], None]


class TransactionCoordinator:
    """The requests of transactional producers.

    ``transaction_version`` returns the finalized level of that feature. Callbacks are called once,
    before the call returns or later.
    """

    def __init__(
        self,
        config: Config,
        clock: Clock,
        timer: SystemTimer,
        actions: ActionQueue,
        steps: StepQueue,
        producer_ids: ProducerIdManager,
        markers: MarkerSender,
        transaction_version: Callable[[], int],
    ) -> None:
        self._config = config
        self._wall_ms = clock.wall_ms
        self._actions = actions
        self._producer_ids = producer_ids
        self._markers = markers
        self._retries = CoordinatorTimer(timer, actions)
        self.states = TransactionStateManager(
            config,
            clock,
            timer,
            actions,
            steps,
            transaction_version,
            self._send_markers,
            markers.remove_partition,
        )
        self.runtime = self.states.runtime

    @property
    def log_append_retry_queue_size(self) -> int:
        """The number of transactions whose end could not be written and is repeated later."""
        return sum(1 for _ in self._retries.scheduled())

    # ------------------------------------------------------------------------- InitProducerId

    def init_producer_id(
        self, request: InitProducerId, on_response: Callable[[InitProducerIdResult], None]
    ) -> None:
        """Begin the session of a producer.

        The transaction that an earlier session left open is aborted, and CONCURRENT_TRANSACTIONS
        is returned when that decision is replicated; the client retries until it has taken effect.
        """
        try:
            entry, value = self._initialize(request)
        except ApiError as refusal:
            on_response(InitProducerIdResult(refusal.code))
            return
        if value is None:
            busy = ErrorCode.CONCURRENT_TRANSACTIONS
            self._fence(entry, lambda end: on_response(InitProducerIdResult(end.error or busy)))
            return
        granted = InitProducerIdResult(ErrorCode.NONE, value.producer_id, value.producer_epoch)

        def on_written(error: ErrorCode) -> None:
            on_response(InitProducerIdResult(error) if error else granted)

        self.states.append(entry, value, on_written)

    def _initialize(
        self, request: InitProducerId
    ) -> tuple[TransactionMetadata, TransactionValue | None]:
        transactional_id, timeout_ms = request.transactional_id, request.timeout_ms
        _check_id(transactional_id)
        if not 0 < timeout_ms <= self._config.transaction_max_timeout_ms:
            raise ApiError(ErrorCode.INVALID_TRANSACTION_TIMEOUT)
        now_ms = self._wall_ms()
        entry = self.states.get(transactional_id)
        if entry is None:
            first = new_value(self._producer_ids.generate(), timeout_ms, now_ms)
            entry = self.states.add(transactional_id, first)
        new_id = self._producer_ids.generate
        return entry, initialize(entry, request.expected, timeout_ms, now_ms, new_id)

    # ----------------------------------------------------------------------------- partitions

    def add_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
        client_version: int,
        on_response: Callable[[ErrorCode], None],
    ) -> None:
        """Add partitions to the transaction, which begins with the first ones."""
        try:
            entry = self._existing(transactional_id)
            value = add(
                entry, producer_id, producer_epoch, partitions, client_version, self._wall_ms()
            )
        except ApiError as refusal:
            on_response(refusal.code)
            return
        if value is None:
            on_response(ErrorCode.NONE)
        else:
            self.states.append(entry, value, on_response)

    def verify_partitions(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
    ) -> dict[TopicPartition, ErrorCode]:
        """Whether the open transaction has these partitions: NONE or TRANSACTION_ABORTABLE.

        Other errors apply to all of them.
        """
        try:
            entry = self._existing(transactional_id)
            return verify(entry, producer_id, producer_epoch, partitions)
        except ApiError as refusal:
            return dict.fromkeys(partitions, refusal.code)

    # ------------------------------------------------------------------------------------ end

    def end_txn(self, request: EndTxn, on_response: OnEnd) -> None:
        """Commit or abort; responds when the decision is replicated, before markers are sent."""
        try:
            entry = self._existing(request.transactional_id)
            value = end(entry, request, self._wall_ms(), self._producer_ids.generate)
        except ApiError as refusal:
            on_response(EndTxnResult(refusal.code))
            return
        if value is None:
            now = entry.value
            on_response(EndTxnResult(ErrorCode.NONE, now.producer_id, now.producer_epoch))
        else:
            self._prepare(entry, value, on_response)

    def abort_timed_out(self) -> Slices[None]:
        """Abort the transactions that have been open for longer than their timeout."""
        now_ms = self._wall_ms()
        for entry in list(self.states.ongoing.values()):
            if is_timed_out(entry, now_ms) and self.states.is_current(entry):
                self._fence(entry, partial(_log_abort, entry))
                self._actions.try_complete_actions()
            yield None

    def abort_open(self, entry: TransactionMetadata) -> None:
        """Abort the open transaction of an id and fence its producer.

        Nothing happens if it has none, or while a transition is in progress.
        """
        is_open = entry.value.state is TransactionState.ONGOING and entry.pending is None
        if is_open and self.states.is_current(entry):
            self._fence(entry, do_nothing)
            self._actions.try_complete_actions()

    def _fence(self, entry: TransactionMetadata, on_end: OnEnd) -> None:
        """Abort the open transaction with an epoch that its producer does not have."""
        version = self.states.transaction_version()
        try:
            value = fence(entry, version, self._wall_ms(), self._producer_ids.generate)
        except ApiError as refusal:
            on_end(EndTxnResult(refusal.code))
            return

        def on_fenced(result: EndTxnResult) -> None:
            if result.error and version < EPOCH_BUMP_SINCE:
                entry.has_failed_epoch_fence = True
            on_end(result)

        self._prepare(entry, value, on_fenced)

    def _prepare(self, entry: TransactionMetadata, value: TransactionValue, on_end: OnEnd) -> None:
        """Write the decision; *on_end* gets the identity that the producer has afterwards."""

        def on_written(error: ErrorCode) -> None:
            if error:
                on_end(EndTxnResult(error))
                return
            after = entry.pending = completed(value, self._wall_ms())
            entry.has_failed_epoch_fence = False
            on_end(EndTxnResult(ErrorCode.NONE, after.producer_id, after.producer_epoch))
            self._send_markers(entry)

        self.states.append(entry, value, on_written)

    # -------------------------------------------------------------------------------- markers

    def _send_markers(self, entry: TransactionMetadata) -> None:
        """Send the markers of a prepared transaction; without partitions it completes at once."""
        value = entry.value
        assert entry.pending is not None
        if not entry.without_marker:
            self._complete(entry)
            return
        transactional_id = entry.transactional_id
        self._markers.add_markers(
            PendingMarkers(
                transactional_id=transactional_id,
                state_partition=self.runtime.partition_for(transactional_id),
                coordinator_epoch=self.runtime.coordinator_epoch(transactional_id),
                producer_id=value.producer_id,
                producer_epoch=value.producer_epoch,
                commit=value.state is TransactionState.PREPARE_COMMIT,
                transaction_version=value.client_transaction_version,
                partitions=value.partitions,
            )
        )

    def marker_written(
        self, transactional_id: str, coordinator_epoch: int, partition: TopicPartition
    ) -> None:
        """See `MarkerCallbacks`; the last marker completes the transaction."""
        entry = self._prepared(transactional_id, coordinator_epoch)
        if entry is None or partition not in entry.without_marker:
            return
        entry.without_marker.remove(partition)
        if not entry.without_marker and not entry.are_markers_stopped:
            self._complete(entry)
            self._actions.try_complete_actions()

    def markers_stopped(self, transactional_id: str, coordinator_epoch: int) -> None:
        """See `MarkerCallbacks`; the id refuses requests until its partition is loaded again."""
        entry = self._prepared(transactional_id, coordinator_epoch)
        if entry is not None:
            entry.are_markers_stopped = True

    def _prepared(
        self, transactional_id: str, coordinator_epoch: int
    ) -> TransactionMetadata | None:
        """The entry of a prepared transaction that this node coordinates in that epoch."""
        try:
            entry = self.states.get(transactional_id)
        except ApiError:
            return None
        if self.runtime.coordinator_epoch(transactional_id) != coordinator_epoch:
            return None
        return entry if entry is not None and entry.value.state.is_prepared else None

    def _complete(self, entry: TransactionMetadata) -> None:
        """Write the end of a transaction whose partitions have their markers.

        It is repeated while the log cannot be written. Kafka repeats it with the next markers that
        it sends.
        """
        if not self.states.is_current(entry):
            return
        assert entry.pending is not None

        def on_written(error: ErrorCode) -> None:
            if error is ErrorCode.COORDINATOR_NOT_AVAILABLE:
                again = partial(self._complete, entry)
                self._retries.schedule(entry.transactional_id, RETRY_BACKOFF_MS, again)
            elif error not in (ErrorCode.NONE, ErrorCode.NOT_COORDINATOR):
                log.error("the end of %s cannot be written: %s", entry.transactional_id, error.name)

        self.states.append(entry, entry.pending, on_written)

    # ---------------------------------------------------------------------------- description

    def metadata_of(self, transactional_id: str) -> TransactionMetadata:
        """The state of an id; raises `ApiError`, TRANSACTIONAL_ID_NOT_FOUND if it is unknown."""
        _check_id(transactional_id)
        entry = self.states.get(transactional_id)
        if entry is None:
            raise ApiError(ErrorCode.TRANSACTIONAL_ID_NOT_FOUND)
        return entry

    def value_in_writing(self, transactional_id: str) -> TransactionValue | None:
        """The value of an id whose record is being replicated; None if there is none."""
        try:
            entry = self.states.get(transactional_id)
        except ApiError:
            return None
        return None if entry is None else entry.pending

    def _existing(self, transactional_id: str) -> TransactionMetadata:
        _check_id(transactional_id)
        entry = self.states.get(transactional_id)
        if entry is None:
            raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
        return entry


def _check_id(transactional_id: str) -> None:
    if not transactional_id:
        raise ApiError(ErrorCode.INVALID_REQUEST)


def _log_abort(entry: TransactionMetadata, result: EndTxnResult) -> None:
    transactional_id = entry.transactional_id
    if result.error:
        log.warning("%s cannot be aborted: %s", transactional_id, result.error.name)
    else:
        log.info("aborted the transaction of %s, which has timed out", transactional_id)
