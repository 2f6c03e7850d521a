"""Applies metadata changes to this node's replicas: which to lead, to follow and to delete.

It is called with each topic that is new or has changed (Kafka's ``ReplicaManager.applyDelta``).
Leaders are applied before followers, so that followers find their leaders. When this node ceases to
lead a partition, its waiting operations respond with an error that sends clients to the new leader.

A topic of many partitions is applied in slices. Until a partition is applied, clients get
NOT_LEADER_OR_FOLLOWER for it, as from a Kafka broker that is applying its metadata.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Protocol

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.topics import TopicConfig
from broker.controller.metadata.image import NO_LEADER, PartitionRegistration, TopicImage
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.leader_state import LeaderNode
from broker.replication.partition import Partition
from broker.replication.partition_purgatories import PartitionPurgatories
from broker.steps.queue import Slices
from broker.storage.directories.log_manager import LogManager
from broker.storage.log_config import LogConfig
from broker.wait_records.causes import CauseKind

log = logging.getLogger("antechamber.replication")


# Called with each partition that this node begins (True) or ceases to lead.
OnLeadershipChange = Callable[[Partition, bool], None]


class PartitionFetchers(Protocol):
    """Fetches the partitions that other nodes lead."""

    def add_fetcher_for_partition(self, partition: Partition, leader: int) -> None:
        """Fetch from *leader*, from the log end, once the change has been applied."""
        ...

    def remove_fetcher_for_partition(self, key: TopicPartition) -> None:
        """Stop fetching the partition, if it is fetched."""
        ...


class DeltaApplier:
    """Creates, changes and deletes the replicas of one node."""

    def __init__(
        self,
        node: LeaderNode,
        config: Config,
        logs: LogManager,
        partitions: HostedPartitions,
        purgatories: PartitionPurgatories,
        followers: PartitionFetchers,
        on_leadership_change: OnLeadershipChange,
    ) -> None:
        self._node = node
        self._config = config
        self._logs = logs
        self._partitions = partitions
        self._purgatories = purgatories
        self._followers = followers
        self._on_leadership = on_leadership_change

    def apply_topic(self, topic: TopicImage) -> Slices[None]:
        """Make this node's replicas of *topic* agree with its metadata."""
        config = TopicConfig(self._config, topic.configs)
        log_config = LogConfig.from_topic(config)
        mine: list[tuple[TopicPartition, PartitionRegistration]] = []
        for index, registration in enumerate(topic.partitions):
            key = TopicPartition(topic.name, index)
            if self._node.node_id in registration.replicas:
                mine.append((key, registration))
            else:
                self._stop_partition(key, CauseKind.LEADERSHIP)
            yield None
        mine.sort(key=lambda each: each[1].leader != self._node.node_id)
        for key, registration in mine:
            partition = self._partition(key, topic, log_config, config.min_insync_replicas)
            if partition is not None:
                self._apply_partition(partition, registration)
                # As in Kafka, a change of the metadata has its effects before one of the settings.
                partition.log.update_config(log_config)
                partition.set_min_insync_replicas(config.min_insync_replicas)
            yield None

    def _apply_partition(self, partition: Partition, registration: PartitionRegistration) -> None:
        if registration.leader == self._node.node_id:
            self._apply_local_leader(partition, registration)
        else:
            self._apply_local_follower(partition, registration)

    def delete_topic(self, topic: TopicImage) -> Slices[None]:
        """Delete this node's logs of the topic and complete the operations that wait on them."""
        for index in range(len(topic.partitions)):
            self._stop_partition(TopicPartition(topic.name, index), CauseKind.DELETED)
            yield None

    def mark_offline(self, keys: Iterable[TopicPartition]) -> None:
        """Take partitions offline whose disk has failed (Kafka's ``markPartitionOffline``).

        The operations that wait on them are not completed, as in Kafka, until new leaders are
        elected.
        """
        for key in keys:
            self._partitions.offline.add(key)
            partition = self._partitions.remove(key)
            if partition is not None:
                self._resign(partition)
            self._followers.remove_fetcher_for_partition(key)

    def _partition(
        self,
        key: TopicPartition,
        topic: TopicImage,
        log_config: LogConfig,
        min_insync_replicas: int,
    ) -> Partition | None:
        """The partition with its log open; None if the disk fails. A new one has the settings."""
        partition = self._partitions.get(key)
        if partition is not None:
            return partition
        try:
            opened = self._logs.get_or_create(key, topic.topic_id, log_config)
        except ApiError as error:
            if key not in self._partitions.offline:  # later changes of the topic try it again
                log.error("%s: %s", key, error)
            self._partitions.offline.add(key)
            return None
        self._partitions.offline.discard(key)
        partition = Partition(key, topic.topic_id, self._node, opened, min_insync_replicas)
        self._partitions.add(partition)
        return partition

    def _apply_local_leader(
        self, partition: Partition, registration: PartitionRegistration
    ) -> None:
        self._followers.remove_fetcher_for_partition(partition.key)
        was_leader = partition.is_leader
        moved = partition.make_leader(registration)
        if not was_leader and partition.is_leader:
            self._on_leadership(partition, True)
        if moved:
            self._purgatories.after_offsets_moved(partition.key, partition.log.high_watermark)

    def _apply_local_follower(
        self, partition: Partition, registration: PartitionRegistration
    ) -> None:
        was_leader = partition.is_leader
        if not partition.make_follower(registration):
            return
        if was_leader:
            self._on_leadership(partition, False)
        self._followers.remove_fetcher_for_partition(partition.key)
        self._purgatories.after_leaving(partition.key, CauseKind.LEADERSHIP)
        if registration.leader != NO_LEADER:
            self._followers.add_fetcher_for_partition(partition, registration.leader)

    def _stop_partition(self, key: TopicPartition, kind: CauseKind) -> None:
        """Remove and delete a partition (Kafka's ``stopPartitions``).

        It is removed from the map first, so that the checks of waiting operations do not find it.
        """
        self._partitions.offline.discard(key)
        partition = self._partitions.remove(key)
        if partition is None:
            return
        self._resign(partition)
        self._followers.remove_fetcher_for_partition(key)
        self._logs.delete(key)
        self._purgatories.after_leaving(key, kind)
        self._purgatories.forget(key)

    def _resign(self, partition: Partition) -> None:
        if partition.is_leader:
            self._on_leadership(partition, False)
        partition.resign()
