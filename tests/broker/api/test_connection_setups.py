"""The setups of a node's listeners: `broker.api.connection_setups`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.network.transports.memory_transport import memory_transport_pair
from tests.client import running_node

pytestmark = pytest.mark.anyio


async def test_each_listener_has_a_setup_of_its_own(tmp_path: Path) -> None:
    """A client's session has the name of its listener."""
    async with running_node(
        tmp_path,
        listeners="PLAINTEXT://:9092,EXT://:9192",
        listener_security_protocol_map="PLAINTEXT:PLAINTEXT,EXT:PLAINTEXT",
    ) as node:
        listeners = node.node.listeners
        sessions = [each.open(memory_transport_pair()[0]).session for each in listeners.values()]

    assert list(listeners) == [session.listener for session in sessions] == ["PLAINTEXT", "EXT"]
