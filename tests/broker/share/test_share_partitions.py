"""The share partitions of a node: when they begin and end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from uuid import UUID

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.share.share_partition_key import SharePartitionKey
from broker.share.share_partitions import SharePartitions
from broker.share_coordinator.network_persister import NetworkPersister
from tests.client import RunningNode, running_node
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


@dataclass
class Created:
    """The share partitions of groups g and h in the two partitions of a topic."""

    node: RunningNode
    topic_id: UUID = field(init=False)
    shares: SharePartitions = field(init=False)

    def __post_init__(self) -> None:
        self.topic_id = self.node.controller.create_topic("t", partitions=2).topic_id
        self.shares = self.node.node.share_groups.partitions.partitions
        for group_id in "gh":
            for partition in (0, 1):
                self.create(group_id, partition)

    def create(self, group_id: str, partition: int) -> None:
        """Create one of them, unless it exists."""
        key = SharePartitionKey(group_id, self.topic_id, partition)
        self.shares.get_or_create(key, TopicPartition("t", partition))

    def resign(self, partition: int) -> None:
        """Tell that the node does not lead a partition any more."""
        led = self.node.node.replicas.partitions.get_or_error(TopicPartition("t", partition))
        self.shares.leadership_changed(led, leads=False)

    def left(self) -> set[str]:
        """The group and the partition of each."""
        return {f"{key.group_id}{key.partition}" for key in self.shares.by_key}


async def test_the_share_partitions_of_a_resigned_partition_end(tmp_path: Path) -> None:
    """Those of all groups; a later fetch creates them again."""
    async with running_node(tmp_path) as node:
        created = Created(node)

        created.resign(0)
        assert created.left() == {"g1", "h1"}

        created.create("g", 0)
        created.resign(0)
        created.resign(1)
        assert not created.left()


async def test_the_share_partitions_of_a_group_without_sessions_end(tmp_path: Path) -> None:
    """Those in all partitions; a later fetch creates them again."""
    async with running_node(tmp_path) as node:
        created = Created(node)

        created.shares.end_group("g")
        assert created.left() == {"h0", "h1"}

        created.create("g", 1)
        created.shares.end_group("g")
        created.shares.end_group("h")
        assert not created.left()
