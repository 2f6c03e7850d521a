"""The partitions of a node, and the error for a partition that it does not have."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, ValuesView

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.partition import Partition
from protocol.errors import ErrorCode


class HostedPartitions:
    """Partitions by key; ``is_known`` returns whether the metadata has a partition."""

    __slots__ = ("_by_key", "_is_known", "offline")

    def __init__(self, is_known: Callable[[TopicPartition], bool]) -> None:
        self._by_key: dict[TopicPartition, Partition] = {}
        self._is_known = is_known
        self.offline: set[TopicPartition] = set()

    def add(self, partition: Partition) -> None:
        """Add the partition."""
        self._by_key[partition.key] = partition

    def remove(self, key: TopicPartition) -> Partition | None:
        """Remove the partition; returns it if the node had it."""
        partition = self._by_key.pop(key, None)
        if partition is not None:
            partition.log.notify_listeners()
        return partition

    def get(self, key: TopicPartition) -> Partition | None:
        """The partition; None if the node does not have it."""
        return self._by_key.get(key)

    def get_or_error(self, key: TopicPartition) -> Partition:
        """The partition; raises `ApiError` (Kafka's ``ReplicaManager.getPartitionOrError``).

        KAFKA_STORAGE_ERROR: its disk has failed. NOT_LEADER_OR_FOLLOWER: other nodes have it.
        UNKNOWN_TOPIC_OR_PARTITION: it does not exist.
        """
        partition = self._by_key.get(key)
        if partition is not None:
            return partition
        if key in self.offline:
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR)
        if self._is_known(key):
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)

    def __getitem__(self, key: TopicPartition) -> Partition:
        return self._by_key[key]

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __len__(self) -> int:
        return len(self._by_key)

    def __iter__(self) -> Iterator[TopicPartition]:
        return iter(self._by_key)

    def values(self) -> ValuesView[Partition]:
        """The partitions."""
        return self._by_key.values()

    def items(self) -> ItemsView[TopicPartition, Partition]:
        """The keys with the partitions."""
        return self._by_key.items()
