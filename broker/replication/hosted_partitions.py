"""The partitions a node has, and the right error for one that it has not."""

from __future__ import annotations

from collections.abc import Callable

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.partition import Partition
from protocol.errors import ErrorCode


class HostedPartitions(dict[TopicPartition, Partition]):
    """By key; ``is_known`` tells whether the node's image has such a partition anywhere."""

    def __init__(self, is_known: Callable[[TopicPartition], bool]) -> None:
        super().__init__()
        self.offline: set[TopicPartition] = set()
        self._is_known = is_known

    def get_or_error(self, key: TopicPartition) -> Partition:
        """The partition; raises `ApiError` (Kafka's ``ReplicaManager.getPartitionOrError``).

        KAFKA_STORAGE_ERROR: its disk has failed. NOT_LEADER_OR_FOLLOWER: another node has it.
        """
        partition = self.get(key)
        if partition is not None:
            return partition
        if key in self.offline:
            raise ApiError(ErrorCode.KAFKA_STORAGE_ERROR)
        if self._is_known(key):
            raise ApiError(ErrorCode.NOT_LEADER_OR_FOLLOWER)
        raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
