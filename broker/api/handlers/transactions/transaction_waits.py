"""Descriptions of the waits of requests that take part in transactions (`Wait`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from broker.common.topic_partition import TopicPartition
from broker.transactions.metadata import TransactionValue
from broker.wait_records.causes import TIMED_OUT, Cause, CauseKind
from broker.wait_records.wait import Facts, Wait, WaitPartition

RESPONDED = Cause(CauseKind.COORDINATOR)


class TransactionStateWait(Wait):
    """Waits until the record of a transactional id is on all replicas in sync.

    *value_in_writing* returns the value in the record of an id. ``transactional_id`` is None for a
    request about several ids. The timeout is that of the transaction, None if the request does not
    have it. *rules* returns the field ``faults``, or nothing.
    """

    __slots__ = ("_rules", "_timeout_ms", "_transactional_id", "_value", "_value_in_writing")
    purgatory = "Produce"

    def __init__(
        self,
        transactional_id: str | None,
        value_in_writing: Callable[[str], TransactionValue | None],
        timeout_ms: int | None = None,
        rules: Callable[[], Facts] = dict,
    ) -> None:
        self._rules = rules
        self._transactional_id = transactional_id
        self._value_in_writing = value_in_writing
        self._timeout_ms = timeout_ms
        # Kept from the first description on: after a timeout the record is not in writing.
        self._value: TransactionValue | None = None

    @property
    def timeout_ms(self) -> int | None:
        """See `Wait`."""
        return self._timeout_ms

    def condition(self) -> Facts:
        """The transactional id, and the state and the epoch in its record."""
        transactional_id = self._transactional_id
        facts: Facts = {"kind": "transaction_state", "transactional_id": transactional_id}
        if transactional_id is None:
            return facts
        if self._value is None:
            self._value = self._value_in_writing(transactional_id)
        if self._value is not None:
            facts["state"] = self._value.state.label
            facts["producer_epoch"] = self._value.producer_epoch
        return facts | self._rules()

    def cause(self, present: Callable[[], Cause]) -> Cause:
        """The request that advanced the high watermark, or the timeout."""
        return _replication(present())


class VerificationWait(Wait):
    """Waits until the coordinator *node* (None: none is known) has verified the *partitions*."""

    __slots__ = ("_node", "_partitions", "_timeout_ms", "_transactional_id")
    purgatory = "Produce"

    def __init__(
        self,
        transactional_id: str,
        node: int | None,
        partitions: Collection[TopicPartition],
        timeout_ms: int,
    ) -> None:
        self._transactional_id = transactional_id
        self._node = node
        self._partitions = partitions
        self._timeout_ms = timeout_ms

    @property
    def timeout_ms(self) -> int:
        """See `Wait`."""
        return self._timeout_ms

    def condition(self) -> Facts:
        """The transaction and its coordinator."""
        return {
            "kind": "transaction_coordinator",
            "transactional_id": self._transactional_id,
            "node": self._node,
        }

    def cause(self, _present: Callable[[], Cause]) -> Cause:
        """The response of the coordinator."""
        return RESPONDED

    def partitions(self) -> Iterator[WaitPartition]:
        """Those of the request; nothing has been appended to them."""
        return (WaitPartition(key, -1, 0) for key in self._partitions)

    def partition_facts(self) -> Iterator[Facts]:
        """See `Wait`."""
        return ({"topic": key.topic, "partition": key.partition} for key in self._partitions)


class MarkersWait(Wait):
    """Waits until all *partitions* have their markers, on all replicas in sync.

    *missing* returns the number of those that do not. *transaction* is the one that ends, None if
    the request ends several. *rules* returns the field ``faults``, or nothing.
    """

    __slots__ = ("_missing", "_partitions", "_rules", "_timeout_ms", "_transaction")
    purgatory = "Produce"

    def __init__(
        self,
        partitions: Collection[TopicPartition],
        missing: Callable[[], int],
        timeout_ms: int,
        transaction: Facts | None = None,
        rules: Callable[[], Facts] = dict,
    ) -> None:
        self._rules = rules
        self._transaction = transaction
        self._partitions = partitions
        self._missing = missing
        self._timeout_ms = timeout_ms

    @property
    def timeout_ms(self) -> int:
        """See `Wait`."""
        return self._timeout_ms

    def condition(self) -> Facts:
        """The number of partitions, of those that have their markers, and the transaction."""
        need = len(self._partitions)
        facts: Facts = {"kind": "markers", "need": need, "had": need - self._missing()}
        if self._transaction is not None:
            facts["transaction"] = dict(self._transaction)
        return facts | self._rules()

    def cause(self, present: Callable[[], Cause]) -> Cause:
        """The request that advanced the last high watermark, or the timeout."""
        return _replication(present())

    def partitions(self) -> Iterator[WaitPartition]:
        """Those of the request."""
        return (WaitPartition(key, -1, 0) for key in self._partitions)

    def partition_facts(self) -> Iterator[Facts]:
        """See `Wait`."""
        return ({"topic": key.topic, "partition": key.partition} for key in self._partitions)


def _replication(cause: Cause) -> Cause:
    """The cause that completes a wait for replication, which is not that of an operation."""
    return cause if cause is TIMED_OUT else cause._replace(kind=CauseKind.HIGH_WATERMARK)
