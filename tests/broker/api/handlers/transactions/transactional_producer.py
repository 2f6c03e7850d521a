"""A transactional producer that sends single requests."""

from __future__ import annotations

from typing import Any

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.transactions.state_topic import transaction_state_topic
from protocol.messages.add_offsets_to_txn import AddOffsetsToTxnRequest
from protocol.messages.add_partitions_to_txn import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnTopic,
    AddPartitionsToTxnTransaction,
)
from protocol.messages.end_txn import EndTxnRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from tests.client import Client, RunningNode

ID = "billing"


class TransactionalProducer:
    """Transactional id "billing" on a node of its own; ``identity`` is its id and epoch."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.identity: dict[str, Any] = {}

    async def begin_session(self) -> None:
        """Get the identity."""
        response = await self.client.send(
            InitProducerIdRequest(transactional_id=ID, transaction_timeout_ms=60_000), 5
        )
        assert response.error_code == 0
        self.identity = {
            "producer_id": response.producer_id,
            "producer_epoch": response.producer_epoch,
        }

    async def add(
        self, *topics: tuple[str, list[int]], version: int = 3, epoch: int | None = None
    ) -> list[tuple[str, int, int]]:
        """Add partitions as a client does; topic, partition and error of each."""
        response = await self.client.send(
            AddPartitionsToTxnRequest(
                v3_and_below_transactional_id=ID,
                v3_and_below_producer_id=self.identity["producer_id"],
                v3_and_below_producer_epoch=(
                    self.identity["producer_epoch"] if epoch is None else epoch
                ),
                v3_and_below_topics=_topics(topics),
            ),
            version,
        )
        return _errors(response.results_by_topic_v3_and_below)

    def transaction(
        self, *topics: tuple[str, list[int]], verify_only: bool = False, name: str = ID
    ) -> AddPartitionsToTxnTransaction:
        """A transaction of a request of a broker."""
        return AddPartitionsToTxnTransaction(
            transactional_id=name,
            **self.identity,
            verify_only=verify_only,
            topics=_topics(topics),
        )

    async def add_as_broker(
        self, *transactions: AddPartitionsToTxnTransaction, version: int = 5
    ) -> dict[str, list[tuple[str, int, int]]]:
        """Topic, partition and error of each, by transactional id."""
        body = AddPartitionsToTxnRequest(transactions=list(transactions))
        response = await self.client.send(body, version)
        assert response.error_code == 0
        return {
            each.transactional_id: _errors(each.topic_results)
            for each in response.results_by_transaction
        }

    async def add_offsets(self, version: int = 4, epoch: int | None = None) -> int:
        """Add the offsets of group "g"; the error."""
        identity = dict(self.identity)
        if epoch is not None:
            identity["producer_epoch"] = epoch
        body = AddOffsetsToTxnRequest(transactional_id=ID, **identity, group_id="g")
        response = await self.client.send(body, version)
        return int(response.error_code)

    async def end(
        self, version: int = 5, *, commit: bool = True, epoch: int | None = None
    ) -> tuple[int, int, int]:
        """End the transaction; the error and the next identity."""
        identity = dict(self.identity)
        if epoch is not None:
            identity["producer_epoch"] = epoch
        body = EndTxnRequest(transactional_id=ID, **identity, committed=commit)
        response = await self.client.send(body, version)
        return response.error_code, response.producer_id, response.producer_epoch


async def transactional_producer(node: RunningNode) -> TransactionalProducer:
    """A producer with an identity; topic "a" has two partitions."""
    ensure_internal_topic(node.controller, transaction_state_topic(node.node.config))
    node.controller.create_topic("a", partitions=2)
    producer = TransactionalProducer(node.client())
    await producer.begin_session()
    return producer


def _topics(topics: tuple[tuple[str, list[int]], ...]) -> list[AddPartitionsToTxnTopic]:
    return [AddPartitionsToTxnTopic(name=name, partitions=indexes) for name, indexes in topics]


def _errors(topics: list[Any]) -> list[tuple[str, int, int]]:
    return [
        (topic.name, each.partition_index, each.partition_error_code)
        for topic in topics
        for each in topic.results_by_partition
    ]
