"""AddPartitionsToTxn: adds partitions to transactions, or checks which ones they have (KIP-98).

Behaviour: if one partition of a transaction does not exist, none of them is added: the others get
OPERATION_NOT_ATTEMPTED, and so it is if the client may not write to a topic. Clients cannot add
partitions of internal topics. The response is sent when the records of all transactions are
replicated. A partition that was added has a result as often as the request names it; otherwise it
has one, and a topic without partitions has none. Of a transactional id that a request names twice,
the partitions are those of its last entry, and the results of an addition those of its first one.

Versions: 2 PRODUCER_FENCED instead of INVALID_PRODUCER_EPOCH (KIP-588), 4 several transactions and
checks, for brokers (KIP-890), 5 TRANSACTION_ABORTABLE.

Deviations: a request of v4 without transactions has an empty response; Kafka sends none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial

from broker.api.authorization.check import CLUSTER_ACTION, WRITE_TOPIC, WRITE_TRANSACTIONAL_ID
from broker.api.authorization.checks import require, unauthorized
from broker.api.handlers.response_callback import ResponseCallback
from broker.api.handlers.transactions.transaction_errors import as_old_error
from broker.api.handlers.transactions.transaction_waits import TransactionStateWait
from broker.api.handlers.wait_rules import transaction_rules
from broker.api.long_request import ITEMS_AT_ONCE
from broker.api.outcome import PARKED, Outcome
from broker.api.request import Request
from broker.common.topic_partition import TopicPartition, by_topic
from broker.controller.metadata.image import INTERNAL_TOPICS, MetadataImage
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnPartitionResult,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddPartitionsToTxnResult,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTopicResult,
    AddPartitionsToTxnTransaction,
)

_BATCHED_SINCE = 4

_Errors = Mapping[TopicPartition, ErrorCode]
_Topics = list[AddPartitionsToTxnTopicResult]
_Added = AddPartitionsToTxnResponse | Outcome


def add_partitions_to_txn(
    request: Request[AddPartitionsToTxnRequest],
) -> _Added | Slices[_Added]:
    """Add a few partitions at once, and many in slices."""
    is_batched = request.version >= _BATCHED_SINCE
    transactions = request.body.transactions if is_batched else [_only_one(request.body)]
    added = _add(request, transactions)
    items = 0
    for transaction in transactions:
        items += 1
        for topic in transaction.topics:
            items += 1 + len(topic.partitions)
    return finish(added) if items <= ITEMS_AT_ONCE else added


def _add(
    request: Request[AddPartitionsToTxnRequest],
    transactions: Sequence[AddPartitionsToTxnTransaction],
) -> Slices[_Added]:
    """Handle each transaction, and respond when all of them are handled."""
    is_batched = request.version >= _BATCHED_SINCE
    hidden: AbstractSet[str] = frozenset()
    if is_batched:
        require(request, CLUSTER_ACTION)
    else:
        require(request, WRITE_TRANSACTIONAL_ID, transactions[0].transactional_id)
        names = (each.name for each in transactions[0].topics if each.name not in INTERNAL_TOPICS)
        hidden = yield from unauthorized(request, WRITE_TOPIC, names)
        hidden |= INTERNAL_TOPICS
    results = _Results(request, transactions)
    last = {each.transactional_id: each for each in transactions}
    first = {each.transactional_id: each for each in reversed(transactions)}
    for index, transaction in enumerate(transactions):
        transactional_id = transaction.transactional_id
        keys: dict[TopicPartition, None] = {}
        for topic in last[transactional_id].topics:
            yield None
            keys.update(dict.fromkeys(TopicPartition(topic.name, p) for p in topic.partitions))
        refused = _refused(keys, request.services.image, hidden)
        if refused:
            results.set(index, _each_once(refused))
        elif transaction.verify_only:
            results.set(index, _verified(request, transaction, list(keys)))
        else:
            named = first[transactional_id].topics
            _begin(request, transaction, list(keys), named, partial(results.set, index))
        yield None
    if results.are_complete:
        return results.response()
    only_id = transactions[0].transactional_id if len(transactions) == 1 else None
    in_writing = request.services.transactions.value_in_writing
    results.park(
        TransactionStateWait(
            only_id,
            in_writing,
            rules=dict
            if only_id is None
            else partial(transaction_rules, request.services, only_id),
        )
    )
    return PARKED


def _only_one(body: AddPartitionsToTxnRequest) -> AddPartitionsToTxnTransaction:
    """The transaction of a request in a version without batches."""
    return AddPartitionsToTxnTransaction(
        transactional_id=body.v3_and_below_transactional_id,
        producer_id=body.v3_and_below_producer_id,
        producer_epoch=body.v3_and_below_producer_epoch,
        topics=body.v3_and_below_topics,
    )


def _refused(
    keys: Mapping[TopicPartition, None], image: MetadataImage, hidden: AbstractSet[str]
) -> _Errors:
    """The error of each partition if any of them cannot be added; empty if all can be.

    The client may not write to the topics *hidden*.
    """
    errors = {}
    for key in keys:
        topic = image.topic(key.topic)
        if key.topic in hidden:
            errors[key] = ErrorCode.TOPIC_AUTHORIZATION_FAILED
        elif topic is None or not 0 <= key.partition < len(topic.partitions):
            errors[key] = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    if not errors:
        return errors
    return {key: errors.get(key, ErrorCode.OPERATION_NOT_ATTEMPTED) for key in keys}


def _verified(
    request: Request[AddPartitionsToTxnRequest],
    transaction: AddPartitionsToTxnTransaction,
    keys: Sequence[TopicPartition],
) -> _Topics:
    """Whether the transaction has the partitions."""
    identity = transaction.transactional_id, transaction.producer_id, transaction.producer_epoch
    return _each_once(request.services.transactions.verify_partitions(*identity, keys))


def _begin(
    request: Request[AddPartitionsToTxnRequest],
    transaction: AddPartitionsToTxnTransaction,
    keys: Sequence[TopicPartition],
    named: Sequence[AddPartitionsToTxnTopic],
    on_results: Callable[[_Topics], None],
) -> None:
    """Add the partitions; *on_results* gets the results of the topics *named*."""
    identity = transaction.transactional_id, transaction.producer_id, transaction.producer_epoch

    def on_response(error: ErrorCode) -> None:
        on_results(_all(named, as_old_error(error, request.version)))

    client_version = 2 if request.version >= _BATCHED_SINCE else 0
    request.services.transactions.add_partitions(*identity, keys, client_version, on_response)


class _Results:
    """The results of each transaction, and the response when all of them are known."""

    def __init__(
        self,
        request: Request[AddPartitionsToTxnRequest],
        transactions: Sequence[AddPartitionsToTxnTransaction],
    ) -> None:
        self._request = request
        self._transactions = transactions
        self._topics: dict[int, _Topics] = {}
        self._respond: ResponseCallback[None] | None = None

    @property
    def are_complete(self) -> bool:
        """Whether every transaction is handled."""
        return len(self._topics) == len(self._transactions)

    def set(self, index: int, topics: _Topics) -> None:
        """Store the results of a transaction."""
        self._topics[index] = topics
        if self.are_complete and self._respond is not None:
            self._respond(None)

    def park(self, wait: TransactionStateWait) -> None:
        """Respond when the results are complete."""
        self._respond = ResponseCallback(self._request, lambda _: self.response(), wait)

    def response(self) -> AddPartitionsToTxnResponse:
        """The response; older versions have the topics of one transaction."""
        if self._request.version < _BATCHED_SINCE:
            return AddPartitionsToTxnResponse(results_by_topic_v3_and_below=self._topics[0])
        return AddPartitionsToTxnResponse(
            results_by_transaction=[
                AddPartitionsToTxnResult(
                    transactional_id=transaction.transactional_id, topic_results=self._topics[index]
                )
                for index, transaction in enumerate(self._transactions)
            ]
        )


def _each_once(errors: _Errors) -> _Topics:
    """The results by topic, each partition once."""
    return [
        _topic(name, [(index, errors[TopicPartition(name, index)]) for index in indexes])
        for name, indexes in by_topic(errors).items()
    ]


def _all(named: Sequence[AddPartitionsToTxnTopic], error: ErrorCode) -> _Topics:
    """The same result for each partition, as often as the request has it."""
    return [_topic(topic.name, [(index, error) for index in topic.partitions]) for topic in named]


def _topic(name: str, errors: Sequence[tuple[int, ErrorCode]]) -> AddPartitionsToTxnTopicResult:
    partitions = [
        AddPartitionsToTxnPartitionResult(partition_index=index, partition_error_code=error)
        for index, error in errors
    ]
    return AddPartitionsToTxnTopicResult(name=name, results_by_partition=partitions)
