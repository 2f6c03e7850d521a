"""A fault rule throttles a client as a quota does."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from protocol.messages.metadata import MetadataRequest
from tests.broker.api.faults.faulted_node import faulted_node, settle

pytestmark = pytest.mark.anyio


async def test_the_response_has_the_throttle_time(tmp_path: Path) -> None:
    """It is sent at once, and the next request of the connection waits."""
    async with faulted_node(tmp_path) as node:
        node.add({"type": "throttle", "ms": 1000}, match={"api": "Metadata"})
        began = trio.current_time()

        response = await node.client.send(MetadataRequest(topics=[]))
        assert (response.throttle_time_ms, trio.current_time()) == (1000, began)
        await node.client.send(MetadataRequest(topics=[]))
        assert trio.current_time() - began == pytest.approx(1, abs=0.002)


async def test_the_throttle_is_recorded(tmp_path: Path) -> None:
    """Its quota is that of a fault rule."""
    async with faulted_node(tmp_path) as node:
        node.add({"type": "throttle", "ms": 1000})
        await node.produce()
        await settle()

        record = node.record()
        assert record["throttle"]["quota"] == "fault_rule"
        assert record["throttle"]["ms"] == 1000
        assert record["fault"] == {"rule": 1, "name": None, "action": "throttle"}
