"""AddOffsetsToTxn."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from protocol.errors import ErrorCode
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(5))
async def test_the_partition_of_the_group_is_added(tmp_path: Path, version: int) -> None:
    """Of ``__consumer_offsets``, with protocol 1."""
    async with running_node(tmp_path) as node:
        ensure_internal_topic(node.controller, offsets_topic(node.node.config))
        producer = await transactional_producer(node)

        assert await producer.add_offsets(version) == ErrorCode.NONE

        entry = node.node.transactions.metadata_of(ID)
        index = node.node.groups.runtime.partition_for("g")
        assert entry.partitions == {("__consumer_offsets", index)}
        assert entry.value.client_transaction_version == 0


@pytest.mark.parametrize(
    ("version", "error"),
    [(1, ErrorCode.INVALID_PRODUCER_EPOCH), (2, ErrorCode.PRODUCER_FENCED)],
)
async def test_older_versions_have_another_error_for_fenced_producers(
    tmp_path: Path, version: int, error: ErrorCode
) -> None:
    """PRODUCER_FENCED exists since v2."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)

        assert await producer.add_offsets(version, epoch=7) == error
