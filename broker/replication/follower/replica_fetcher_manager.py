"""The fetchers of a node, one for each leader that it follows (Kafka's ``ReplicaFetcherManager``).

Adding a partition makes a fetcher send a full request. So new partitions are collected, and
`assign_pending` adds them to their fetchers together.
"""

from __future__ import annotations

import trio

from broker.common.topic_partition import TopicPartition
from broker.network.inter_broker.inter_broker_connections import InterBrokerConnections
from broker.replication.follower.follower_node import FollowerNode
from broker.replication.follower.replica_fetcher import ReplicaFetcher
from broker.replication.partition import Partition

# So many new partitions do not wait for the others of the same change.
_PENDING_MAX = 1000


class ReplicaFetcherManager:
    """Starts a fetcher for the first partition of each leader."""

    def __init__(self, node: FollowerNode, connections: InterBrokerConnections) -> None:
        self._node = node
        self._connections = connections
        self._fetchers: dict[int, ReplicaFetcher] = {}
        self._following: dict[TopicPartition, ReplicaFetcher] = {}
        self._pending: dict[TopicPartition, tuple[Partition, int]] = {}
        self._to_start: list[ReplicaFetcher] = []
        self._wake = trio.Event()

    def __len__(self) -> int:
        return len(self._following) + len(self._pending)

    def add_fetcher_for_partition(self, partition: Partition, leader: int) -> None:
        """Fetch *partition* from *leader*, from the next `assign_pending` on."""
        self.remove_fetcher_for_partition(partition.key)
        self._pending[partition.key] = partition, leader
        if len(self._pending) >= _PENDING_MAX:
            self.assign_pending()

    def assign_pending(self) -> None:
        """Add the new partitions to the fetchers of their leaders."""
        new, self._pending = self._pending, {}
        for partition, leader in new.values():
            self._assign(partition, leader)

    def _assign(self, partition: Partition, leader: int) -> None:
        fetcher = self._fetchers.get(leader)
        if fetcher is None:
            fetcher = ReplicaFetcher(self._node, leader, self._connections)
            self._fetchers[leader] = fetcher
            self._to_start.append(fetcher)
            self._wake.set()
        fetcher.add_partition(partition)
        self._following[partition.key] = fetcher

    def remove_fetcher_for_partition(self, key: TopicPartition) -> None:
        """Stop fetching the partition, if it is fetched."""
        self._pending.pop(key, None)
        fetcher = self._following.pop(key, None)
        if fetcher is not None:
            fetcher.remove_partition(key)

    def resumed(self) -> None:
        """Use the responses that have arrived during a pause of the node."""
        for fetcher in self._fetchers.values():
            fetcher.resumed()

    async def run(self) -> None:
        """Run the fetchers, including later ones, until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                for fetcher in self._to_start:
                    nursery.start_soon(fetcher.run)
                self._to_start = []
                await self._wake.wait()
                self._wake = trio.Event()
