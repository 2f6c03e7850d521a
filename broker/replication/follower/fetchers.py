"""All fetchers of a node, one for each leader it follows (Kafka's ``ReplicaFetcherManager``).

A fetcher that gets a partition asks its leader for all of its partitions anew. So partitions that
are followed from now on are handed to the fetchers together, with `begin_new`.
"""

from __future__ import annotations

import trio

from broker.common.topic_partition import TopicPartition
from broker.replication.follower.fetcher import Connect, Fetcher, FollowerNode
from broker.replication.partition import Partition

# Of the partitions of one large change the first do not wait longer for the others.
_NEW_MAX = 1000


class Fetchers:
    """Starts a fetcher when the first partition of a leader is followed."""

    def __init__(self, node: FollowerNode, connect: Connect) -> None:
        self._node = node
        self._connect = connect
        self._fetchers: dict[int, Fetcher] = {}
        self._following: dict[TopicPartition, Fetcher] = {}
        self._new: dict[TopicPartition, tuple[Partition, int]] = {}
        self._to_start: list[Fetcher] = []
        self._wake = trio.Event()

    def __len__(self) -> int:
        return len(self._following) + len(self._new)

    def follow(self, partition: Partition, leader: int) -> None:
        """Fetch *partition* from *leader*, from the next `begin_new` on."""
        self.unfollow(partition.key)
        self._new[partition.key] = partition, leader
        if len(self._new) >= _NEW_MAX:
            self.begin_new()

    def begin_new(self) -> None:
        """Hand the partitions to be followed to the fetchers of their leaders."""
        new, self._new = self._new, {}
        for partition, leader in new.values():
            self._fetch(partition, leader)

    def _fetch(self, partition: Partition, leader: int) -> None:
        fetcher = self._fetchers.get(leader)
        if fetcher is None:
            fetcher = self._fetchers[leader] = Fetcher(self._node, leader, self._connect)
            self._to_start.append(fetcher)
            self._wake.set()
        fetcher.add(partition)
        self._following[partition.key] = fetcher

    def unfollow(self, key: TopicPartition) -> None:
        """Do not fetch the partition any more, if it is fetched."""
        self._new.pop(key, None)
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
