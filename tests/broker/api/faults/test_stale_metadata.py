"""A fault rule responds with the metadata of the time at which it was set."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.messages.metadata import MetadataRequest
from tests.broker.api.faults.faulted_node import faulted_node, settle

pytestmark = pytest.mark.anyio


async def test_later_changes_are_not_in_the_response(tmp_path: Path) -> None:
    """A topic that was created afterwards does not exist; other requests know it."""
    async with faulted_node(tmp_path) as node:
        node.add({"type": "stale_metadata"}, match={})
        node.running.controller.create_topic("payments", partitions=1)
        await settle()

        async def topics() -> set[str | None]:
            response = await node.client.send(MetadataRequest(topics=None))
            return {topic.name for topic in response.topics}

        assert await topics() == {"orders"}
        assert await topics() == {"orders", "payments"}
