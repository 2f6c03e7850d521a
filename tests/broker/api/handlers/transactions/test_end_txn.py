"""EndTxn."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(6))
@pytest.mark.parametrize("commit", [True, False])
async def test_a_transaction_ends(tmp_path: Path, version: int, commit: bool) -> None:
    """From v5 on, the response has the identity for the next transaction."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0, 1]))

        response = await producer.end(version, commit=commit)

        identity = producer.identity["producer_id"], 1
        assert response == (0, *(identity if version == 5 else (-1, -1)))
        entry = node.node.transactions.metadata_of(ID)
        assert entry.value.state.name == ("PREPARE_COMMIT" if commit else "PREPARE_ABORT")


async def test_the_partitions_get_markers(tmp_path: Path) -> None:
    """After the response; then the transaction is complete."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0, 1]))
        await producer.end()

        while await producer.end(epoch=9) == (ErrorCode.CONCURRENT_TRANSACTIONS, -1, -1):
            pass

        assert node.node.transactions.metadata_of(ID).value.state.name == "COMPLETE_COMMIT"
        for index in (0, 1):
            partition = node.node.replicas.partitions.get(TopicPartition("a", index))
            assert partition is not None
            assert partition.log.log_end_offset == 1


@pytest.mark.parametrize(
    ("version", "error"),
    [
        (1, ErrorCode.INVALID_PRODUCER_EPOCH),
        (2, ErrorCode.PRODUCER_FENCED),
        (5, ErrorCode.PRODUCER_FENCED),
    ],
)
async def test_older_versions_have_another_error_for_fenced_producers(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """PRODUCER_FENCED exists since v2."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))

        assert (await producer.end(version, epoch=7))[0] == error


@pytest.mark.parametrize(
    ("version", "error"), [(4, ErrorCode.INVALID_TXN_STATE), (5, ErrorCode.NONE)]
)
async def test_only_protocol_2_can_abort_nothing(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """The version of the request determines the protocol."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        assert (await producer.end(version, commit=False))[0] == error
