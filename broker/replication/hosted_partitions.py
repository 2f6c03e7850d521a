"""The partitions of a node, and the error for a partition that it does not have."""

from __future__ import annotations

from collections.abc import Callable

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.partition import Partition
from protocol.errors import ErrorCode


class HostedPartitions(dict[TopicPartition, Partition]):
    """Partitions by key; ``is_known`` returns whether the metadata has a partition."""

    def __init__(self, is_known: Callable[[TopicPartition], bool]) -> None:
        super().__init__()
        self.offline: set[TopicPartition] = set()
        self._is_known = is_known

    def get_or_error(self, key: TopicPartition) -> Partition:
        """The partition; raises `ApiError` (Kafka's ``ReplicaManager.getPartitionOrError``).

        KAFKA_STORAGE_ERROR: its disk has failed. NOT_LEADER_OR_FOLLOWER: other nodes have it.
        UNKNOWN_TOPIC_OR_PARTITION: it does not exist.
        """
        partition = self.get(key)
        if partition is not None:
            return partition
        if key in self.offline:
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR)
        if self._is_known(key):
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
