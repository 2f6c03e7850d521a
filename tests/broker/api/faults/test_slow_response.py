"""A fault rule sends a response slowly."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from tests.broker.api.faults.faulted_node import faulted_node, pass_ms, settle

pytestmark = pytest.mark.anyio


async def test_a_response_is_sent_byte_by_byte(tmp_path: Path) -> None:
    """Ten bytes per second: one at once, and one each 100 ms."""
    async with faulted_node(tmp_path) as node:
        node.add({"type": "slow", "bytes_per_second": 10})
        node.start()
        await pass_ms(50)
        for arrived in (1, 2, 3):
            assert len(node.client.transport.incoming) == arrived
            await pass_ms(100)

        assert await node.produced() == (0, 0)
        await settle()
        assert node.record()["waited_for"]["effect"] == "slow"


@pytest.mark.parametrize("bytes_per_second", [1, 64, 1_000, 50_000, 1_000_000_000])
async def test_the_response_is_complete(tmp_path: Path, bytes_per_second: int) -> None:
    """It takes the time of its bytes; the next response follows it."""
    async with faulted_node(tmp_path) as node:
        await node.produce(b"a" * 500)
        node.add({"type": "slow", "bytes_per_second": bytes_per_second}, match={"api": "Fetch"})
        began = trio.current_time()

        records = await node.fetch()

        assert b"a" * 500 in records
        expected_s = 650 / bytes_per_second
        assert trio.current_time() - began == pytest.approx(expected_s, rel=0.1, abs=0.02)
        assert await node.fetch() == records


async def test_records_that_are_read_from_file_are_sent_slowly(tmp_path: Path) -> None:
    """A response beyond 256 KB is otherwise read in pieces while the socket takes it."""
    async with faulted_node(tmp_path) as node:
        for _ in range(3):
            await node.produce(b"a" * 300_000)
        expected = await node.fetch(max_bytes=1 << 21, partition_max_bytes=1 << 21)
        node.add({"type": "slow", "bytes_per_second": 10_000_000}, match={"api": "Fetch"})

        assert await node.fetch(max_bytes=1 << 21, partition_max_bytes=1 << 21) == expected
