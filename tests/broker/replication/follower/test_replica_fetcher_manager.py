"""One fetcher for each leader (mirrors Kafka's AbstractFetcherManagerTest)."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.topic_partition import TopicPartition
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.replication.follower.replica_fetcher_manager import ReplicaFetcherManager
from tests.broker.replication.follower.scripted_leader import FollowingNode
from tests.broker.replication.world import KEY, OTHER, make_partition

pytestmark = pytest.mark.anyio


class Addresses:
    """Accepts every connection, and records its address."""

    def __init__(self) -> None:
        self.ports: list[int] = []
        self._ends: list[MemoryTransport] = []

    async def connect(self, _host: str, port: int) -> MemoryTransport:
        """A connection without responses."""
        await trio.lowlevel.checkpoint()
        self.ports.append(port)
        ours, theirs = memory_transport_pair()
        self._ends.append(theirs)
        return ours


async def test_partitions_of_one_leader_share_a_connection(tmp_path: Path) -> None:
    """One fetcher, one request for both."""
    addresses, node = Addresses(), FollowingNode()
    fetchers = ReplicaFetcherManager(node, node.others.connections(addresses.connect))
    async with trio.open_nursery() as nursery:
        for key in (KEY, OTHER):
            fetchers.add_fetcher_for_partition(make_partition(tmp_path, key, leader=2), 2)
            fetchers.assign_pending()
        nursery.start_soon(fetchers.run)
        await trio.testing.wait_all_tasks_blocked()

        assert addresses.ports == [9093]
        assert len(fetchers) == 2
        nursery.cancel_scope.cancel()


async def test_each_leader_has_its_own_fetcher(tmp_path: Path) -> None:
    """Including leaders that are added while the manager runs."""
    addresses, node = Addresses(), FollowingNode()
    fetchers = ReplicaFetcherManager(node, node.others.connections(addresses.connect))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(fetchers.run)
        fetchers.add_fetcher_for_partition(make_partition(tmp_path, KEY, leader=2), 2)
        fetchers.assign_pending()
        await trio.testing.wait_all_tasks_blocked()
        fetchers.add_fetcher_for_partition(make_partition(tmp_path, OTHER, leader=3), 3)
        fetchers.assign_pending()
        await trio.testing.wait_all_tasks_blocked()

        assert addresses.ports == [9093, 9094]
        nursery.cancel_scope.cancel()


async def test_a_partition_has_one_leader(tmp_path: Path) -> None:
    """A new leader replaces the first one (Kafka's testAddAndRemovePartition)."""
    node = FollowingNode()
    fetchers = ReplicaFetcherManager(node, node.others.connections(Addresses().connect))
    partition = make_partition(tmp_path, KEY, leader=2)

    fetchers.add_fetcher_for_partition(partition, 2)
    fetchers.assign_pending()
    fetchers.add_fetcher_for_partition(partition, 3)
    fetchers.assign_pending()
    assert len(fetchers) == 1
    assert [bool(fetchers._fetchers[leader]._partition_states) for leader in (2, 3)] == [  # noqa: SLF001 - without connections
        False,
        True,
    ]

    fetchers.remove_fetcher_for_partition(KEY)
    fetchers.remove_fetcher_for_partition(TopicPartition("never", 0))
    assert len(fetchers) == 0


async def test_new_partitions_are_fetched_together(tmp_path: Path) -> None:
    """A fetcher that got them one by one would send a full request for each."""
    addresses, node = Addresses(), FollowingNode()
    fetchers = ReplicaFetcherManager(node, node.others.connections(addresses.connect))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(fetchers.run)
        fetchers.add_fetcher_for_partition(make_partition(tmp_path, KEY, leader=2), 2)
        fetchers.add_fetcher_for_partition(make_partition(tmp_path, OTHER, leader=2), 2)
        fetchers.remove_fetcher_for_partition(KEY)
        await trio.testing.wait_all_tasks_blocked()
        assert (addresses.ports, len(fetchers)) == ([], 1)

        fetchers.assign_pending()
        await trio.testing.wait_all_tasks_blocked()
        assert addresses.ports == [9093]
        nursery.cancel_scope.cancel()
