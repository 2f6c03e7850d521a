"""The periodic tasks of the transaction coordinator, on a node."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.common.errors import ApiError
from tests.broker.api.handlers.transactions.transactional_producer import ID, transactional_producer
from tests.client import running_node

pytestmark = pytest.mark.anyio


async def test_a_transaction_is_aborted_at_the_first_check_after_its_timeout(
    tmp_path: Path,
) -> None:
    """The check runs every ten seconds; the partitions get their markers."""
    async with running_node(tmp_path) as node:
        producer = await transactional_producer(node)
        await producer.add(("a", [0]))
        await trio.sleep(59)
        entry = node.node.transactions.metadata_of(ID)
        assert entry.value.state.name == "ONGOING"

        await trio.sleep(12)

        assert (entry.value.state.name, entry.value.producer_epoch) == ("COMPLETE_ABORT", 1)


async def test_an_unused_id_is_removed(tmp_path: Path) -> None:
    """The check runs every hour."""
    async with running_node(tmp_path, transactional_id_expiration_ms="1000") as node:
        await transactional_producer(node)
        await trio.sleep(3590)
        assert node.node.transactions.metadata_of(ID).value.state.name == "EMPTY"

        await trio.sleep(20)

        with pytest.raises(ApiError, match="TRANSACTIONAL_ID_NOT_FOUND"):
            node.node.transactions.metadata_of(ID)
