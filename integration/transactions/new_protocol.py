"""A producer of the new transaction protocol (KIP-890), which no Python client implements.

    init_transactions --> [ produce --> send_offsets --> commit or abort ] --> next transaction
                                `-- error: requires abort -----'

Produce and TxnOffsetCommit add their partitions to the transaction, and the response to EndTxn has
the epoch of the next one. The methods, and the errors that they raise, are those of librdkafka's
producer, but `produce` waits for its response.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from confluent_kafka import KafkaError, KafkaException

from integration.parity.requests import produce
from integration.parity.transaction_requests import (
    NOBODY,
    TRANSACTION,
    Identity,
    commit_in_txn,
    end_txn,
    init_producer_id,
    transactional_batch,
)
from integration.transactions.nodes import GROUP, Nodes
from protocol.errors import ErrorCode

INIT_VERSION, PRODUCE_VERSION, COMMIT_VERSION, END_VERSION = 5, 12, 5, 5
_BACKOFF_SECONDS = 0.03
# A request of a transaction is repeated for this long; then the transaction is aborted.
_REPEATED_SECONDS = 4.0

# A request without a response, or with one of these errors, is repeated.
_RETRIABLE = frozenset(
    {
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.NOT_LEADER_OR_FOLLOWER,
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NETWORK_EXCEPTION,
        ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
        ErrorCode.COORDINATOR_NOT_AVAILABLE,
        ErrorCode.NOT_COORDINATOR,
        ErrorCode.NOT_ENOUGH_REPLICAS,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        ErrorCode.CONCURRENT_TRANSACTIONS,
    }
)


class NewProtocolProducer:
    """A transactional producer, used by one thread."""

    def __init__(self, bootstrap: str, transactional_id: str, timeout_ms: int) -> None:
        self._id = transactional_id
        self._timeout_ms = timeout_ms
        self._nodes = Nodes(bootstrap)
        self._identity = NOBODY
        self._sequences: dict[tuple[str, int], int] = {}
        self._is_empty = True

    def init_transactions(self, within: float) -> None:
        """Get an identity; fences earlier producers."""
        request = init_producer_id(self._id, timeout_ms=self._timeout_ms)
        response = self._coordinate(request, INIT_VERSION, within)
        self._becomes(Identity(response.producer_id, response.producer_epoch))

    def begin_transaction(self) -> None:
        """Begin a transaction; sends nothing."""
        self._is_empty = True

    def produce(self, topic: str, value: str, *, partition: int) -> None:
        """Append one record."""
        sequence = self._sequences.get((topic, partition), 0)
        records = transactional_batch(self._identity, sequence, value)
        request = produce(topic, {partition: records}, transactional_id=self._id)
        self._sequences[topic, partition] = sequence + 1

        def error(response: Any) -> int:
            [of_topic] = response.responses
            [of_partition] = of_topic.partition_responses
            return int(of_partition.error_code)

        self._in_transaction(
            lambda: self._nodes.leader(topic, partition), request, PRODUCE_VERSION, error
        )

    def send_offsets(self, group: str, topic: str, offsets: Mapping[int, int]) -> None:
        """Commit offsets of a group without members."""
        request = commit_in_txn(self._id, self._identity, group, topic, offsets)

        def error(response: Any) -> int:
            [of_topic] = response.topics
            return next((each.error_code for each in of_topic.partitions if each.error_code), 0)

        self._in_transaction(
            lambda: self._nodes.coordinator(GROUP, group), request, COMMIT_VERSION, error
        )

    def commit_transaction(self, within: float) -> None:
        """Commit; a transaction without requests has nothing to commit."""
        if not self._is_empty:
            self._end(within, commit=True)

    def abort_transaction(self, within: float) -> None:
        """Abort; with an unknown result of a batch, the new epoch makes it harmless."""
        self._end(within, commit=False)

    def close(self) -> None:
        """Close the connections."""
        self._nodes.close()

    def _end(self, within: float, *, commit: bool) -> None:
        request = end_txn(self._id, self._identity, commit=commit)
        response = self._coordinate(request, END_VERSION, within)
        self._becomes(Identity(response.producer_id, response.producer_epoch))

    def _becomes(self, identity: Identity) -> None:
        self._identity = identity
        self._sequences = {}

    def _coordinate(self, request: Any, version: int, within: float) -> Any:
        """Send a request to the transaction coordinator; its errors are retriable or fatal."""
        return self._repeat(
            lambda: self._nodes.coordinator(TRANSACTION, self._id),
            request,
            version,
            lambda response: int(response.error_code),
            within,
        )

    def _in_transaction(
        self,
        node: Callable[[], int | None],
        request: Any,
        version: int,
        error: Callable[[Any], int],
    ) -> None:
        """Send a request of the transaction; after any error it must be aborted."""
        self._is_empty = False
        try:
            self._repeat(node, request, version, error, _REPEATED_SECONDS)
        except KafkaException as failure:
            code = failure.args[0].code()
            raise KafkaException(KafkaError(code, txn_requires_abort=True)) from failure

    def _repeat(
        self,
        node: Callable[[], int | None],
        request: Any,
        version: int,
        error: Callable[[Any], int],
        within: float,
    ) -> Any:
        """Send a request until its result is final or *within* seconds have passed."""
        deadline = time.monotonic() + within
        while True:
            destination = node()
            response = (
                None if destination is None else self._nodes.send(destination, request, version)
            )
            code = ErrorCode.NETWORK_EXCEPTION if response is None else ErrorCode(error(response))
            if code is ErrorCode.NONE:
                return response
            is_retriable = code in _RETRIABLE
            if not is_retriable or time.monotonic() > deadline:
                raise KafkaException(KafkaError(code, retriable=is_retriable))
            self._nodes.forget()
            time.sleep(_BACKOFF_SECONDS)
