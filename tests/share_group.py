"""A share group on a node with one topic, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.batches import batch
from tests.client import Client, RunningNode, running_node
from tests.requests import PRODUCE_VERSION, produce_request
from tests.share_member import ShareMember, initialize


class ShareGroupOnNode:
    """A share group on a node with one topic, which has no records yet."""

    def __init__(self, node: RunningNode, partitions: int) -> None:
        self.node = node
        self.topic_id = node.controller.create_topic("t", partitions=partitions).topic_id
        self._producer = node.client()

    async def produce(self, *counts: int, partition: int = 0) -> None:
        """Append a batch of each number of records."""
        for count in counts:
            batches = [None] * partition + [batch(*[b"x"] * count)]
            await self._producer.send(produce_request("t", *batches), PRODUCE_VERSION)

    def member(self, member_id: str, client: Client | None = None) -> ShareMember:
        """A member of the group, on a connection of its own."""
        return ShareMember(client or self.node.client(), self.topic_id, member_id)


@asynccontextmanager
async def share_group(
    folder: Path, partitions: int = 1, **config: Any
) -> AsyncIterator[ShareGroupOnNode]:
    """A group that has begun at the end of the empty topic."""
    async with running_node(folder, **config) as node:
        found = ShareGroupOnNode(node, partitions)
        await initialize(lambda _: node.client(), found.topic_id, partitions)
        await found.member("first").fetch(*range(partitions), max_wait_ms=5000, min_bytes=0)
        yield found
