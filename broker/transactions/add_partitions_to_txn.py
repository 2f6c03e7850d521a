"""Sends AddPartitionsToTxn to coordinators: adds partitions to transactions, or verifies them.

Partition leaders and group coordinators send it before the first batch of a transaction (KIP-890).
Requests that are made while one is in flight to the same coordinator are sent together after it, at
most `TRANSACTIONS_PER_REQUEST_MAX`. Of one transactional id only the latest is kept; the one that
it replaces fails. Kafka's ``AddPartitionsToTxnManager``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from enum import Enum, auto
from functools import partial
from itertools import islice

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition, by_topic
from broker.controller.metadata.image import Broker
from broker.coordinators.inter_broker_sender import (
    InterBrokerRequest,
    InterBrokerSender,
    SenderParts,
    call_back,
)
from broker.steps.queue import Slices
from protocol.errors import ErrorCode
from protocol.lazy_dataclass import dataclass
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)

# One request is encoded, and its response decoded, in one step of the loop.
TRANSACTIONS_PER_REQUEST_MAX = 100

# How many durations are kept for metrics.
DURATIONS_MAX = 1000

# The errors of the partitions that have one.
Errors = dict[TopicPartition, ErrorCode]


class SupportedOperation(Enum):
    """What the version of a client's request supports (Kafka's ``TransactionSupportedOperation``).

    ``DEFAULT``: partitions are verified. ``GENERIC_ERROR``: they are verified, and the client
    knows TRANSACTION_ABORTABLE. ``ADD_PARTITION``: they are added.
    """

    DEFAULT = auto()
    GENERIC_ERROR = auto()
    ADD_PARTITION = auto()

    @property
    def supports_epoch_bump(self) -> bool:
        """Whether the producer epoch changes at the end of each transaction."""
        return self is SupportedOperation.ADD_PARTITION


@dataclass(frozen=True, slots=True, eq=False)
class _Transaction:
    """The partitions of one transactional id that are to be added or verified."""

    transactional_id: str
    producer_id: int
    producer_epoch: int
    partitions: Collection[TopicPartition]
    operation: SupportedOperation
    on_response: Callable[[Errors], None]
    begun_ms: float


class AddPartitionsToTxnSender:
    """Sends the requests of one node; *coordinator* is `CoordinatorRuntime.coordinator`.

    ``verifications`` is the number of calls that have ended, ``verification_failures`` that of
    their partitions with an error, and ``verification_times_ms`` has their latest durations.
    """

    def __init__(
        self,
        parts: SenderParts,
        coordinator: Callable[[str], Broker],
    ) -> None:
        self._node = parts.node
        self._actions = parts.actions
        self._coordinator = coordinator
        self.verifications = 0
        self.verification_failures = 0
        self.verification_times_ms: deque[float] = deque(maxlen=DURATIONS_MAX)
        # By coordinator and transactional id.
        self._queues: dict[int, dict[str, _Transaction]] = {}
        self._sender = InterBrokerSender("add-partitions-to-txn", parts, self._next_request)

    async def run(self) -> None:
        """Send requests until cancelled."""
        await self._sender.run()

    def coordinator(self, transactional_id: str) -> int | None:
        """The node that coordinates the id; None if there is none."""
        try:
            return self._coordinator(transactional_id).node_id
        except ApiError:
            return None

    def add_or_verify(
        self,
        transactional_id: str,
        producer_id: int,
        producer_epoch: int,
        partitions: Collection[TopicPartition],
        operation: SupportedOperation,
        on_response: Callable[[Errors], None],
    ) -> None:
        """Add or verify partitions; *on_response* gets the errors, from the action queue.

        Beside the coordinator's errors: COORDINATOR_NOT_AVAILABLE; NETWORK_EXCEPTION after a
        disconnect, a timeout, or a later call for the same id that this one has not been sent
        before; INVALID_PRODUCER_EPOCH if such a call has a higher epoch, or an earlier one had.
        """
        transaction = _Transaction(
            transactional_id,
            producer_id,
            producer_epoch,
            partitions,
            operation,
            on_response,
            self._node.now_ms(),
        )
        node_id = self.coordinator(transactional_id)
        if node_id is None:
            self._fail(transaction, ErrorCode.COORDINATOR_NOT_AVAILABLE)
            return
        queue = self._queues.setdefault(node_id, {})
        queued = queue.get(transactional_id)
        if queued is not None and queued.producer_epoch > producer_epoch:
            self._fail(transaction, ErrorCode.INVALID_PRODUCER_EPOCH)
            return
        queue[transactional_id] = transaction
        if queued is not None:
            is_fenced = queued.producer_epoch < producer_epoch
            self._fail(
                queued,
                ErrorCode.INVALID_PRODUCER_EPOCH if is_fenced else ErrorCode.NETWORK_EXCEPTION,
            )
        self._sender.wake(node_id)

    def _fail(self, transaction: _Transaction, error: ErrorCode) -> None:
        """Fail later: the callback continues another request, or the caller's."""
        self._actions.add(partial(self._end, transaction, _all_failed(transaction, error)))

    def _end(self, transaction: _Transaction, errors: Errors) -> None:
        self.verifications += 1
        self.verification_failures += len(errors)
        self.verification_times_ms.append(self._node.now_ms() - transaction.begun_ms)
        transaction.on_response(errors)

    def _next_request(self, node_id: int) -> InterBrokerRequest | None:
        """The transactions that are queued for a coordinator, as many as a request may have."""
        queue = self._queues.get(node_id)
        if not queue:
            return None
        ids = list(islice(queue, TRANSACTIONS_PER_REQUEST_MAX))
        sent = {each: queue.pop(each) for each in ids}
        transactions = [_requested(each) for each in sent.values()]
        return InterBrokerRequest(
            AddPartitionsToTxnRequest(transactions=transactions),
            partial(self._on_response, sent),
        )

    def _on_response(
        self, sent: dict[str, _Transaction], response: AddPartitionsToTxnResponse | None
    ) -> Slices[None]:
        error = _error_of_all(response)
        codes = {} if response is None else _codes(response)
        for transactional_id, transaction in sent.items():
            result = partial(self._result, transaction, error, codes.get(transactional_id, {}))
            call_back(self._node, f"transactional id {transactional_id}", result)
            yield None

    def _result(
        self, transaction: _Transaction, error: ErrorCode, codes: dict[TopicPartition, int]
    ) -> None:
        """End a call with the error of the whole request, or with those of its partitions."""
        errors = _all_failed(transaction, error) if error else _errors(transaction, codes)
        self._end(transaction, errors)


def _all_failed(transaction: _Transaction, error: ErrorCode) -> Errors:
    return dict.fromkeys(transaction.partitions, error)


def _requested(transaction: _Transaction) -> AddPartitionsToTxnTransaction:
    return AddPartitionsToTxnTransaction(
        transactional_id=transaction.transactional_id,
        producer_id=transaction.producer_id,
        producer_epoch=transaction.producer_epoch,
        verify_only=not transaction.operation.supports_epoch_bump,
        topics=[
            AddPartitionsToTxnTopic(name=name, partitions=indexes)
            for name, indexes in by_topic(transaction.partitions).items()
        ],
    )


def _error_of_all(response: AddPartitionsToTxnResponse | None) -> ErrorCode:
    if response is None:
        return ErrorCode.NETWORK_EXCEPTION
    if response.error_code == ErrorCode.CLUSTER_AUTHORIZATION_FAILED:
        return ErrorCode.INVALID_TXN_STATE
    return ErrorCode(response.error_code)


def _codes(response: AddPartitionsToTxnResponse) -> dict[str, dict[TopicPartition, int]]:
    """The error codes by transactional id and partition."""
    return {
        result.transactional_id: {
            TopicPartition(topic.name, each.partition_index): each.partition_error_code
            for topic in result.topic_results
            for each in topic.results_by_partition
        }
        for result in response.results_by_transaction
    }


def _errors(transaction: _Transaction, codes: dict[TopicPartition, int]) -> Errors:
    """The errors of a transaction's partitions; one without result is not verified."""
    errors = {}
    for key in transaction.partitions:
        code = codes.get(key, ErrorCode.NETWORK_EXCEPTION)
        if code:
            errors[key] = _translated(ErrorCode(code), transaction.operation)
    return errors


def _translated(error: ErrorCode, operation: SupportedOperation) -> ErrorCode:
    """The error that partition leaders use: no client of Produce knows PRODUCER_FENCED."""
    if error is ErrorCode.PRODUCER_FENCED:
        return ErrorCode.INVALID_PRODUCER_EPOCH
    if error is ErrorCode.TRANSACTION_ABORTABLE and operation is SupportedOperation.DEFAULT:
        return ErrorCode.INVALID_TXN_STATE
    return error
