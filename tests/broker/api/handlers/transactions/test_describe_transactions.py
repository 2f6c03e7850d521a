"""DescribeTransactions."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from broker.transactions.metadata import TransactionMetadata
from protocol.errors import ErrorCode
from protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    TopicData,
    TransactionState,
)
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.client import EPOCH_MS, running_node
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio


async def test_an_open_transaction(tmp_path: Path) -> None:
    """It has its partitions by topic, and its start time."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [1, 0]))

        response = await producer.client.send(DescribeTransactionsRequest(transactional_ids=[ID]))

        [state] = response.transaction_states
        assert 0 <= state.transaction_start_time_ms - EPOCH_MS < 100
        assert state == TransactionState(
            transactional_id=ID,
            transaction_state="Ongoing",
            transaction_timeout_ms=60_000,
            transaction_start_time_ms=state.transaction_start_time_ms,
            **producer.identity,
            topics=[TopicData(topic="a", partitions=[0, 1])],
        )


async def test_a_prepared_transaction_has_the_partitions_without_marker(tmp_path: Path) -> None:
    """They are removed one by one."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [1, 0]))
        await producer.end()
        node.node.transactions.metadata_of(ID).without_marker.remove(TopicPartition("a", 0))

        response = await node.client().send(DescribeTransactionsRequest(transactional_ids=[ID]))

        [state] = response.transaction_states
        assert state.transaction_state == "PrepareCommit"
        assert state.topics == [TopicData(topic="a", partitions=[1])]


async def test_ids_that_cannot_be_described_have_errors(tmp_path: Path) -> None:
    """An empty id, and an unknown one."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        body = DescribeTransactionsRequest(transactional_ids=["", "other"])

        response = await producer.client.send(body)

        assert [
            (each.transactional_id, each.error_code) for each in response.transaction_states
        ] == [
            ("", ErrorCode.INVALID_REQUEST),
            ("other", ErrorCode.TRANSACTIONAL_ID_NOT_FOUND),
        ]


async def test_only_the_coordinator_describes_an_id(tmp_path: Path) -> None:
    """There is none before the topic exists."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(DescribeTransactionsRequest(transactional_ids=[ID]))

        assert response.transaction_states[0].error_code == ErrorCode.NOT_COORDINATOR


async def test_a_repeated_id_is_described_once_and_returned_each_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kafka returns a state for each, in the order of the request, also for errors."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        looked_up: list[str] = []
        metadata_of = node.node.transactions.metadata_of

        def counting(transactional_id: str) -> TransactionMetadata:
            looked_up.append(transactional_id)
            return metadata_of(transactional_id)

        monkeypatch.setattr(node.node.transactions, "metadata_of", counting)
        body = DescribeTransactionsRequest(transactional_ids=[ID, "other", ID, "", "other", ID])
        response = await producer.client.send(body)

        states = response.transaction_states
        assert [each.transactional_id for each in states] == body.transactional_ids
        assert states[0].topics == [TopicData(topic="a", partitions=[0])]
        assert states[0] == states[2] == states[5]
        assert looked_up == [ID, "other", ""]


async def test_a_large_transaction_is_described_in_slices(tmp_path: Path) -> None:
    """A piece has the partitions of one topic; an id is a piece as well."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        names = [f"t{index:03}" for index in range(100)]
        partitions = [TopicPartition(name, 0) for name in names]
        node.node.transactions.add_partitions(
            ID,
            producer.identity["producer_id"],
            producer.identity["producer_epoch"],
            partitions,
            client_version=0,
            on_response=lambda _: None,
        )
        before = short_slices(node.cluster.steps)

        response = await node.client().send(DescribeTransactionsRequest(transactional_ids=[ID]))

        [state] = response.transaction_states
        assert [each.topic for each in state.topics] == names
        assert node.cluster.steps.slices_run - before >= len(names) / 2
