"""The share partitions of a node: when they begin and end."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import trio

from broker.share_coordinator.network_persister import NetworkPersister
from tests.client import running_node
from tests.share_group import ShareGroupOnNode
from tests.share_member import fetched, initialize

pytestmark = pytest.mark.anyio


async def test_a_share_partition_ends_while_its_state_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The result is not that of the share partition which has replaced it."""
    async with running_node(tmp_path) as node:
        g = ShareGroupOnNode(node, 1)
        await initialize(lambda _: node.client(), g.topic_id)
        await g.produce(10)
        read = NetworkPersister.read
        reads: list[Callable[[], None]] = []
        monkeypatch.setattr(
            NetworkPersister, "read", lambda *call: reads.append(partial(read, *call))
        )
        first, second, third = map(g.member, "abc")
        first.client.start(first.request(max_wait_ms=500))
        await trio.sleep(0.01)
        first.client.close()
        await trio.sleep(0.01)
        second.client.start(second.request(max_wait_ms=500))
        await trio.sleep(0.01)
        reads[0]()
        await trio.sleep(0.01)
        third.client.start(third.request(max_wait_ms=500))
        await trio.sleep(0.01)
        reads[1]()

        responses = [await each.client.receive() for each in (second, third)]

        assert len(reads) == 2
        assert list(map(fetched, responses)) == ["0-9#1", ""]
