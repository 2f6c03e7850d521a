"""Fault rules that replace the response of a request that has had its effect."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from tests.broker.api.faults.faulted_node import faulted_node, settle

pytestmark = pytest.mark.anyio

NOT_LEADER = {"type": "error", "error": "NOT_LEADER_OR_FOLLOWER", "when": "after"}
CLOSE = {"type": "close", "when": "after"}


async def test_an_error_after_follows_the_effect(tmp_path: Path) -> None:
    """The records are appended; the record of the request has the rule."""
    async with faulted_node(tmp_path) as node:
        node.add(NOT_LEADER, name="moved")

        assert await node.produce() == (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1)

        assert node.log_end_offset == 1
        await settle()
        assert node.record()["fault"] == {"rule": 1, "name": "moved", "action": "error"}
        assert await node.produce() == (0, 1)
        await settle()
        assert node.record()["fault"] is None


async def test_an_error_after_replaces_the_records_of_a_fetch(tmp_path: Path) -> None:
    """In the form of the API: every partition has it."""
    async with faulted_node(tmp_path) as node:
        await node.produce()
        node.add(NOT_LEADER, match={"api": "Fetch", "topic": "orders", "partition": 0})

        assert await node.fetch() == b""
        assert b"a" in await node.fetch()


async def test_a_close_after_follows_the_effect(tmp_path: Path) -> None:
    """The client has no response and a closed connection."""
    async with faulted_node(tmp_path) as node:
        node.add(CLOSE)
        node.start()

        assert await node.client.closed()
        assert node.log_end_offset == 1
        await settle()
        assert node.record()["completed_by"] == {"cause": "error"}


async def test_a_close_sends_earlier_responses(tmp_path: Path) -> None:
    """Those of requests that arrived together."""
    async with faulted_node(tmp_path) as node:
        node.add(CLOSE, nth=2)
        node.start(b"a")
        node.start(b"b")

        assert await node.produced() == (0, 0)
        assert await node.client.closed()
        assert node.log_end_offset == 2


@pytest.mark.parametrize("action", [NOT_LEADER, CLOSE])
async def test_a_produce_without_acks_has_its_connection_closed(
    tmp_path: Path, action: dict[str, str]
) -> None:
    """As Kafka does with an error that it cannot respond with."""
    async with faulted_node(tmp_path) as node:
        node.add(action)
        node.start(acks=0)

        assert await node.client.closed()
        assert node.log_end_offset == 1


async def test_a_delayed_produce_without_acks_delays_the_next(tmp_path: Path) -> None:
    """It has no response; the next request of its connection waits."""
    async with faulted_node(tmp_path) as node:
        node.add({"type": "delay", "ms": 300, "of": "response"})
        node.start(b"a", acks=0)
        node.start(b"b")
        await settle()
        assert node.log_end_offset == 1

        assert await node.produced() == (0, 1)


async def test_a_parked_request_is_completed_first(tmp_path: Path) -> None:
    """The error replaces the response of a fetch that has waited."""
    async with faulted_node(tmp_path) as node:
        node.add(NOT_LEADER, match={"api": "Fetch"})

        assert await node.fetch(0, max_wait_ms=200) == b""

        await settle()
        record = node.record()
        assert record["purgatory"] == "Fetch"
        assert 200_000 <= record["parked_us"] <= 202_000
