"""All fetchers of a node, one for each leader it follows (Kafka's ``ReplicaFetcherManager``)."""

from __future__ import annotations

import trio

from broker.replication.follower.fetcher import Connect, Fetcher, FollowerNode
from broker.replication.partition import Partition
from broker.topic_partition import TopicPartition


class Fetchers:
    """Starts a fetcher when the first partition of a leader is followed."""

    def __init__(self, node: FollowerNode, connect: Connect) -> None:
        self._node = node
        self._connect = connect
        self._fetchers: dict[int, Fetcher] = {}
        self._following: dict[TopicPartition, Fetcher] = {}
        self._to_start: list[Fetcher] = []
        self._wake = trio.Event()

    def __len__(self) -> int:
        return len(self._following)

    def follow(self, partition: Partition, leader: int) -> None:
        """Fetch *partition* from *leader* from now on."""
        self.unfollow(partition.key)
        fetcher = self._fetchers.get(leader)
        if fetcher is None:
            fetcher = self._fetchers[leader] = Fetcher(self._node, leader, self._connect)
            self._to_start.append(fetcher)
            self._wake.set()
        fetcher.add(partition)
        self._following[partition.key] = fetcher

    def unfollow(self, key: TopicPartition) -> None:
        """Do not fetch the partition any more, if it is fetched."""
        fetcher = self._following.pop(key, None)
        if fetcher is not None:
            fetcher.remove(key)

    async def run(self) -> None:
        """Run the fetchers, those to come included, until cancelled."""
        async with trio.open_nursery() as nursery:
            while True:
                for fetcher in self._to_start:
                    nursery.start_soon(fetcher.run)
                self._to_start = []
                await self._wake.wait()
                self._wake = trio.Event()
