"""The share partitions of a node, which are created by the first fetch and end with leadership.

A share partition ends when this node no longer leads the partition, when the share coordinator
fences it, when its state cannot be read, and when the last connection with a session of its group
closes. Then the state is read again. Kafka's ``SharePartitionManager`` and ``SharePartitionCache``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.share.offset_reset import OffsetReset
from broker.share.persister import Persister
from broker.share.settings import ShareGroupSettings
from broker.share.share_partition import PartitionState, SharePartition
from broker.share.share_partition_key import SharePartitionKey
from broker.wait_records.causes import CauseKind
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer

OnError = Callable[[ErrorCode], None]
Name = TypeVar("Name")


class SharePartitions:
    """The share partitions by key; *settings* returns those of a group, *timer* ends locks.

    *actions* are drained after the expiry of a lock.
    """

    def __init__(
        self,
        hosted: HostedPartitions,
        settings: Callable[[str], ShareGroupSettings],
        persister: Persister,
        timer: SystemTimer,
        purgatories: PartitionPurgatories,
        reset: OffsetReset,
        actions: ActionQueue,
    ) -> None:
        self.by_key: dict[SharePartitionKey, SharePartition] = {}
        # The same by group and by partition, in the order of their creation.
        self._of_group: dict[str, dict[SharePartitionKey, SharePartition]] = {}
        self._of_partition: dict[TopicPartition, dict[SharePartitionKey, SharePartition]] = {}
        self._loading: dict[SharePartition, list[OnError]] = {}
        self._hosted = hosted
        self._settings = settings
        self._persister = persister
        self._timer = timer
        self._purgatories = purgatories
        self._reset = reset
        self._actions = actions

    def get_or_create(self, key: SharePartitionKey, name: TopicPartition) -> SharePartition:
        """The share partition; raises `ApiError` if this node does not lead the partition."""
        partition = self._hosted.get_or_error(name)
        if partition.topic_id.int != key.topic_id.int:  # a comparison of UUIDs is interpreted
            raise ApiError(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION)
        partition.leader_state_or_error()
        found = self.by_key.get(key)
        if found is None:
            found = SharePartition(
                key,
                name,
                partition.leader_epoch,
                self._settings(key.group_id),
                self._persister,
                self._timer,
                self._changed,
                self._fenced,
            )
            self._add(found)
        return found

    def _add(self, share_partition: SharePartition) -> None:
        key, name = share_partition.key, share_partition.name
        self.by_key[key] = share_partition
        self._of_group.setdefault(key.group_id, {})[key] = share_partition
        self._of_partition.setdefault(name, {})[key] = share_partition

    def initialize(self, share_partition: SharePartition, on_error: OnError) -> None:
        """Read the stored state, unless that is done; *on_error* is called if it fails."""
        if share_partition.state is PartitionState.INITIALIZING:
            self._loading[share_partition].append(on_error)
        elif share_partition.state is PartitionState.EMPTY:
            self._loading[share_partition] = [on_error]
            reset = partial(self._reset.offset, share_partition.name, share_partition.settings)
            share_partition.initialize(reset, partial(self._initialized, share_partition))

    def _initialized(
        self, share_partition: SharePartition, error: ErrorCode, _message: str | None
    ) -> None:
        waiting = self._loading.pop(share_partition)
        is_in_use = share_partition.key in self.by_key
        if error:
            for on_error in waiting:
                on_error(error)
            self._remove(share_partition)
        if is_in_use:
            self._check(share_partition, CauseKind.COORDINATOR)

    def _changed(self, share_partition: SharePartition, kind: CauseKind) -> None:
        self.check_waiting(share_partition, kind)
        if kind is CauseKind.LOCK_EXPIRED:  # by the timer, so no request handler does it
            self._actions.try_complete_actions()

    def check_waiting(self, share_partition: SharePartition, kind: CauseKind) -> None:
        """Check the fetches that wait for records of the share partition."""
        if share_partition.key in self.by_key:
            self._check(share_partition, kind)

    def check_after_fetch(self, share_partition: SharePartition) -> None:
        """Check the fetches that wait, of all groups, after one has released its fetch lock.

        Kafka's ``DelayedShareFetch.releasePartitionLocksAndAddToActionQueue``.
        """
        self._purgatories.after_share_fetch(share_partition.key, share_partition.name)

    def _check(self, share_partition: SharePartition, kind: CauseKind) -> None:
        lock = share_partition.expired_lock if kind is CauseKind.LOCK_EXPIRED else None
        key, name = share_partition.key, share_partition.name
        self._purgatories.after_share_partition_changed(key, name, kind, lock)

    def _fenced(self, share_partition: SharePartition) -> None:
        self._end(share_partition, CauseKind.COORDINATOR)

    def leadership_changed(self, partition: Partition, leads: bool) -> None:
        """End the share partitions of a partition that this node no longer leads."""
        if not leads:
            for share_partition in list(self._of_partition.get(partition.key, {}).values()):
                self._end(share_partition, CauseKind.LEADERSHIP)

    def end_group(self, group_id: str) -> None:
        """End the share partitions of a group, which has no session on this node any more."""
        for share_partition in list(self._of_group.get(group_id, {}).values()):
            self._end(share_partition, CauseKind.SHARE_SESSION)

    def _end(self, share_partition: SharePartition, kind: CauseKind) -> None:
        is_in_use = share_partition.key in self.by_key
        self._remove(share_partition)
        if is_in_use:
            self._check(share_partition, kind)

    def _remove(self, share_partition: SharePartition) -> None:
        share_partition.fence()
        key = share_partition.key
        if self.by_key.get(key) is share_partition:
            del self.by_key[key]
            _remove_from(self._of_group, key.group_id, key)
            _remove_from(self._of_partition, share_partition.name, key)


def _remove_from(
    index: dict[Name, dict[SharePartitionKey, SharePartition]], name: Name, key: SharePartitionKey
) -> None:
    of_name = index[name]
    del of_name[key]
    if not of_name:
        del index[name]
