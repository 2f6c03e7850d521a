"""A transactional producer that keeps its identity and its sequence numbers.

The version of a request selects the protocol: `NEW` (transactions v2, KIP-890), in which a produce
adds its partition and the end of a transaction changes the epoch, or `OLD`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from integration.machine.deadlines import eventually
from integration.parity.client import Pending
from integration.parity.group_requests import find_coordinator
from integration.parity.requests import produce
from integration.parity.scenario import Kafka
from integration.parity.transaction_requests import (
    NOBODY,
    TIMEOUT_MS,
    TRANSACTION,
    Identity,
    Partitions,
    add_offsets,
    add_partitions,
    commit_in_txn,
    describe_transactions,
    end_txn,
    init_producer_id,
    transactional_batch,
)
from protocol.errors import ErrorCode

_NOT_YET = (ErrorCode.NONE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS)
_ENDING = ("PrepareCommit", "PrepareAbort")


class Versions(NamedTuple):
    """The versions of a protocol's requests."""

    produce: int
    end: int
    commit: int


NEW = Versions(produce=12, end=5, commit=5)
OLD = Versions(produce=11, end=4, commit=4)


class Producer:
    """A producer with a transactional id, initialised unless *init* is False."""

    def __init__(
        self,
        kafka: Kafka,
        versions: Versions = NEW,
        *,
        transactional_id: str | None = None,
        timeout_ms: int = TIMEOUT_MS,
        init: bool = True,
    ) -> None:
        self.transactional_id = transactional_id or kafka.new_name("transaction")
        self.identity = NOBODY
        self.node = coordinator(kafka, self.transactional_id)
        self._kafka = kafka
        self._versions = versions
        self._timeout_ms = timeout_ms
        self._sequences: dict[tuple[str, int], int] = {}
        if init:
            eventually(self._is_initialised, f"an id for {self.transactional_id}")

    def init(self, version: int | None = None, *, known: Identity = NOBODY) -> Any:
        """InitProducerId, after the end of the last transaction; keeps the new identity."""
        requested = init_producer_id(
            self.transactional_id, timeout_ms=self._timeout_ms, known=known
        )
        response = self.ask(requested, version)
        if response.error_code == 0:
            self._becomes(Identity(response.producer_id, response.producer_epoch))
        return response

    def add(self, partitions: Partitions, version: int = 3) -> Any:
        """AddPartitionsToTxn; results are sorted, because Kafka collects them in hash tables."""
        requested = add_partitions(self.transactional_id, self.identity, partitions)
        response = self.ask(requested, version)
        response.results_by_topic_v3_and_below.sort(key=lambda each: each.name)
        for topic in response.results_by_topic_v3_and_below:
            topic.results_by_partition.sort(key=lambda each: each.partition_index)
        return response

    def add_offsets(self, group: str, version: int | None = None) -> Any:
        """AddOffsetsToTxn."""
        return self.ask(add_offsets(self.transactional_id, self.identity, group), version)

    def start(
        self,
        topic: str,
        *values: str,
        partition: int = 0,
        node: int = 1,
        version: int | None = None,
        at: int | None = None,
    ) -> Pending:
        """Produce the next batch of a partition on a connection of its own, without waiting."""
        requested = self.batches(topic, {partition: values}, at=at)
        version = self._versions.produce if version is None else version
        return self._kafka.start(requested, version, node=node)

    def produce(self, topic: str, *values: str, partition: int = 0, **how: Any) -> Pending:
        """The same, but waits for the response; a rejected batch does not count."""
        pending = self.start(topic, *values, partition=partition, **how)
        (produced,) = pending.response().responses[0].partition_responses
        if produced.error_code:
            self._sequences[topic, partition] -= len(values)
        return pending

    def deliver(self, topic: str, *values: str, **how: Any) -> None:
        """Produce, again while the coordinator moves or the last transaction is not complete."""

        def is_accepted() -> bool:
            pending = self.produce(topic, *values, **how)
            (produced,) = pending.response().responses[0].partition_responses
            return not produced.error_code

        eventually(is_accepted, f"a record in {topic}")

    def batches(
        self, topic: str, values: Mapping[int, tuple[str, ...]], *, at: int | None = None
    ) -> Any:
        """Return a produce request with the next batch of each partition."""
        built = {}
        for partition, each in values.items():
            sequence = self._sequences.get((topic, partition), 0)
            built[partition] = transactional_batch(self.identity, sequence, *each, at=at)
            self._sequences[topic, partition] = sequence + len(each)
        return produce(topic, built, transactional_id=self.transactional_id)

    def commit_offsets(
        self,
        group: str,
        topic: str,
        offsets: Mapping[int, int],
        *,
        version: int | None = None,
        node: int | None = None,
        **member: Any,
    ) -> Any:
        """TxnOffsetCommit, at the coordinator of transactions unless *node* is another one."""
        requested = commit_in_txn(
            self.transactional_id, self.identity, group, topic, offsets, **member
        )
        version = self._versions.commit if version is None else version
        return self._kafka.request(requested, version, node=node or self.node)

    def end(self, *, commit: bool = True, version: int | None = None) -> Any:
        """EndTxn; keeps the new identity of a new response."""
        version = self._versions.end if version is None else version
        response = self.ask(self.ending(commit=commit), version)
        self.ended(response)
        return response

    def ending(self, *, commit: bool = True) -> Any:
        """Return the EndTxn of the present transaction; see `ended`."""
        return end_txn(self.transactional_id, self.identity, commit=commit)

    def ended(self, response: Any) -> None:
        """Take the identity of a response to EndTxn v5."""
        if response.error_code == 0 and response.producer_id >= 0:
            self._becomes(Identity(response.producer_id, response.producer_epoch))

    def complete(self, *, commit: bool = True) -> None:
        """End the transaction, and wait until all its markers are written."""
        response = self.end(commit=commit)
        assert response.error_code == 0, response
        self.settle()

    def settle(self) -> str:
        """Wait until all markers are written, and return the state."""

        def state() -> str:
            """The state, or nothing while markers are missing."""
            found: str = self.describe().transaction_state
            return "" if found in _ENDING else found

        return eventually(state, f"all markers of {self.transactional_id}")

    def describe(self) -> Any:
        """The transactional id in DescribeTransactions."""
        (described,) = self.ask(describe_transactions(self.transactional_id)).transaction_states
        for topic in described.topics:
            topic.partitions.sort()
        described.topics.sort(key=lambda each: each.topic)
        return described

    def ask(self, request: Any, version: int | None = None) -> Any:
        """Send a request to the coordinator."""
        return self._kafka.request(request, version, node=self.node)

    def _is_initialised(self) -> bool:
        """Whether InitProducerId succeeds; a node needs a moment for its first producer ids."""
        response = self.init()
        assert response.error_code in _NOT_YET, response
        return bool(response.error_code == ErrorCode.NONE)

    def _becomes(self, identity: Identity) -> None:
        if identity != self.identity:
            self._sequences.clear()
        self.identity = identity


def coordinator(kafka: Kafka, transactional_id: str) -> int:
    """Return the node that coordinates a transactional id, when there is one."""

    def found() -> int:
        """The node, or 0."""
        (response,) = kafka.request(
            find_coordinator(transactional_id, key_type=TRANSACTION)
        ).coordinators
        node: int = response.node_id
        return node if response.error_code == ErrorCode.NONE else 0

    return eventually(found, f"the coordinator of {transactional_id}")
