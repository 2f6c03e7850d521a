"""DescribeTransactions."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.describe_transactions import (
    DescribeTransactionsRequest,
    TopicData,
    TransactionState,
)
from tests.broker.api.handlers.transactional_producer import ID, transactional_producer
from tests.client import EPOCH_MS, running_node

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
