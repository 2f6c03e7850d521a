"""The throttle of the followers of partitions that this node leads (``shouldLeaderThrottle``)."""

from __future__ import annotations

from collections.abc import Callable

from broker.quotas.replication_quota import ReplicationQuota
from broker.replication.partition import Partition


class LeaderThrottle:
    """Withholds records from followers that are not in sync while *quota* is exceeded."""

    __slots__ = ("_quota",)

    def __init__(self, quota: ReplicationQuota) -> None:
        self._quota = quota

    @property
    def is_active(self) -> bool:
        """Whether there is a rate."""
        return self._quota.bytes_per_second is not None

    def of_follower(self, node_id: int) -> Callable[[Partition], bool]:
        """Returns whether the replica of a partition on that node has to wait."""

        def is_throttled(partition: Partition) -> bool:
            leader_state = partition.leader_state
            is_in_sync = leader_state is None or node_id in leader_state.isr.committed
            return not is_in_sync and self.concerns(partition) and self._quota.is_exceeded

        return is_throttled

    def concerns(self, partition: Partition) -> bool:
        """Whether the replica of this node is throttled."""
        replicas = partition.log.config.leader_replication_throttled_replicas
        return self._quota.applies_to(replicas, partition.key.partition)

    def record(self, size: int) -> None:
        """Count the size of the throttled partitions of a response, in bytes."""
        self._quota.record(size)
