"""Rolls, expires and compacts the logs of partitions now, and elects their leaders.

The broker does the same by itself when time has passed: ``segment.ms``, ``retention.ms``,
``min.cleanable.dirty.ratio``, ``leader.imbalance.check.interval.seconds``. The work on logs is done
on all running replicas, as it is in Kafka, where each replica does its own.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import trio

from broker.cluster import Cluster
from broker.common.errors import ApiError, WrongState
from broker.common.topic_partition import TopicPartition
from broker.controller.all_applied import all_applied
from broker.controller.partitions.partition_change import Election
from broker.maintenance.replica_logs import (
    ReplicaLog,
    partition_facts,
    partitions_of,
    replica_logs,
)
from broker.steps.queue import finish
from broker.storage.retention import SEGMENTS_AT_ONCE, delete_old_segments
from protocol.errors import ErrorCode

Facts = dict[str, Any]


class Maintenance:
    """Works on partitions of *cluster*; each method returns what has changed.

    A partition of None is all partitions of the topic. Raises `NoSuchPartition`, and `WrongState`
    if the work is not possible.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    async def roll(self, topic: str, partition: int | None) -> Facts:
        """Begin a new segment, unless the active one is empty."""
        return await self._on_logs(topic, partition, _roll)

    async def expire(self, topic: str, partition: int | None) -> Facts:
        """Delete the segments that retention allows by the present time and size."""
        return await self._on_logs(topic, partition, _expire)

    async def compact(self, topic: str, partition: int | None) -> Facts:
        """Begin a new segment, and compact all others.

        Each replica compacts segments below its high watermark, which a follower gets with its next
        fetch.
        """
        return await self._on_logs(topic, partition, self._compact)

    async def elect(
        self, topic: str, partition: int | None, leader: int | None, *, unclean: bool = False
    ) -> Facts:
        """Elect the preferred replica, or *leader*, which must be in sync.

        ``unclean``: a replica that is not in sync may be elected where no leader is.
        """
        controller = self._cluster.controller
        keys = partitions_of(controller.image, topic, partition)
        kind = Election.UNCLEAN if unclean else Election.PREFERRED
        errors = finish(controller.elect_leaders(kind if leader is None else leader, keys))
        for key, error in errors.items():
            if error is not None and error.code is not ErrorCode.ELECTION_NOT_NEEDED:
                raise WrongState(f"{key} has no election: {error.message}")
        await all_applied(controller)
        return self._facts({key: [] for key in keys})

    async def _on_logs(
        self,
        topic: str,
        partition: int | None,
        work: Callable[[ReplicaLog], Awaitable[None]],
    ) -> Facts:
        keys = partitions_of(self._cluster.controller.image, topic, partition)
        found = {key: list(replica_logs(self._cluster.nodes, key)) for key in keys}
        for key, replicas in found.items():
            for replica in replicas:
                try:
                    await work(replica)
                except ApiError as error:
                    raise WrongState(f"{key} on node {replica.node.id}: {error}") from None
            await trio.lowlevel.checkpoint()
        return self._facts(found)

    async def _compact(self, replica: ReplicaLog) -> None:
        log = replica.log
        if not log.config.is_compacted:
            raise WrongState(f"{log.topic_partition} is not compacted: set cleanup.policy=compact")
        await _roll(replica)
        ended = trio.Event()
        replica.node.cleaner_rounds.cleaner.compact_now(log, ended.set)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._until_stopped, replica, ended)
            await ended.wait()
            nursery.cancel_scope.cancel()
        if replica.node not in self._cluster.nodes:
            raise WrongState(f"node {replica.node.id} has stopped")
        if replica.node.cleaner_rounds.cleaner.has_failed(log):
            raise WrongState(
                f"the compaction of {log.topic_partition} on node {replica.node.id} has failed: "
                "see the log of the broker"
            )

    async def _until_stopped(self, replica: ReplicaLog, ended: trio.Event) -> None:
        while replica.node in self._cluster.nodes:
            await self._cluster.changes.wait()
        ended.set()

    def _facts(self, found: dict[TopicPartition, list[ReplicaLog]]) -> Facts:
        self._cluster.changes.notify()
        facts = partial(partition_facts, self._cluster.controller.image)
        return {"partitions": [facts(key, replicas) for key, replicas in found.items()]}


async def _roll(replica: ReplicaLog) -> None:
    log = replica.log
    if log.log_end_offset > log.segments.base_offsets[-1]:
        with log.storage_errors:
            log.roll()


async def _expire(replica: ReplicaLog) -> None:
    while delete_old_segments(replica.log, SEGMENTS_AT_ONCE):
        await trio.lowlevel.checkpoint()
