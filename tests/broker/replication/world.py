"""Partitions in a temporary directory, on a fake node, which acts only as the test says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import Broker, PartitionRegistration
from broker.controller.partitions.alter_partition import AlterPartition
from broker.links.direction import Direction
from broker.network.inter_broker.link import Link
from broker.replication.fetch_data import FetchIsolation, FetchParams, FetchPartition
from broker.replication.follower_fetch import FollowerFetch
from broker.replication.holds import Hold, Holds
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.leader_state import AlterPartitionResult, LeaderState
from broker.replication.partition import Partition
from broker.storage.log.open_log import open_log
from broker.storage.log_config import LogConfig
from protocol.errors import ErrorCode
from purgatories.timer.system_timer import SystemTimer
from tests.batches import batch
from tests.broker.faults.rules import RulesWithClock
from tests.broker.storage.logs import StillClock

KEY = TopicPartition("t", 0)
OTHER = TopicPartition("t", 1)
LAG_MAX_MS = 30_000


def broker_epoch(node_id: int) -> int:
    """The broker epoch of each node, unless a test gives another."""
    return 100 + node_id


class FakeNode:
    """Node 1 of three, without controller or purgatories; a test advances ``time_ms``."""

    node_id = 1
    replica_lag_time_max_ms = LAG_MAX_MS

    def __init__(self) -> None:
        self.time_ms = 1000.0
        self.brokers = {n: Broker(n, "127.0.0.1", 9091 + n, broker_epoch(n)) for n in (1, 2, 3)}
        self.rules = RulesWithClock().rules
        self.all_holds = Holds(self.rules, lambda: None)
        self.moved: list[TopicPartition] = []
        self.moved_by: list[tuple[int, int | None]] = []
        self.changes: list[AlterPartition] = []
        self._responses: list[Callable[[AlterPartitionResult], None]] = []

    def now_ms(self) -> float:
        return self.time_ms

    def alive(self, node_id: int) -> Broker | None:
        return self.brokers.get(node_id)

    def alter_partition(
        self, change: AlterPartition, on_response: Callable[[AlterPartitionResult], None]
    ) -> None:
        self.changes.append(change)
        self._responses.append(on_response)

    def holds(self, key: TopicPartition) -> Sequence[Hold]:
        return self.all_holds.of(key)

    def link_to(self, _node_id: int) -> Link:
        timer = SystemTimer("links", now_ms=self.now_ms)
        sides = Direction(timer), Direction(timer)
        return Link(*sides, timer, request_timeout_ms=inf, setup_timeout_ms=inf)

    def offsets_moved(self, key: TopicPartition, offset: int, replica: int | None) -> None:
        self.moved.append(key)
        self.moved_by.append((offset, replica))

    @property
    def requested_isrs(self) -> list[tuple[int, ...]]:
        """The ISRs that were requested from the controller."""
        return [change.new_isr for change in self.changes]

    def refuse(self, error: ErrorCode) -> None:
        """The controller refuses the oldest pending change."""
        self._responses.pop(0)(ApiError(error))

    def agree(self, partition: Partition, **other: Any) -> PartitionRegistration:
        """The controller commits the oldest change, with *other* fields of the registration."""
        return self.agree_with(leader_state_of(partition), **other)

    def agree_with(self, leader_state: LeaderState, **other: Any) -> PartitionRegistration:
        """The controller commits it, whether or not the node still leads."""
        change = self.changes[-len(self._responses)]
        registration = leader_state.registration
        agreed = replace(
            registration, isr=change.new_isr, partition_epoch=registration.partition_epoch + 1
        )
        agreed = replace(agreed, **other)
        self._responses.pop(0)(agreed)
        return agreed


def make_partition(
    folder: Path,
    key: TopicPartition = KEY,
    *,
    node: FakeNode | None = None,
    isr: tuple[int, ...] = (1,),
    replicas: tuple[int, ...] = (1,),
    min_insync_replicas: int = 1,
    leader_epoch: int = 5,
    leader: int = 1,
) -> Partition:
    """A partition on node 1, which leads it in epoch 5 unless *leader* is another."""
    log = open_log(folder / str(key), key, LogConfig(), StillClock())
    partition = Partition(key, uuid4(), node or FakeNode(), log, min_insync_replicas)
    registration = PartitionRegistration(replicas, isr, leader, leader_epoch)
    if leader == 1:
        partition.make_leader(registration)
    else:
        partition.make_follower(registration)
    return partition


def hosted(*partitions: Partition) -> HostedPartitions:
    """These partitions; no others exist."""
    found = HostedPartitions(found_nowhere)
    for partition in partitions:
        found.add(partition)
    return found


def found_nowhere(_key: TopicPartition) -> bool:
    """No other node has the partition."""
    return False


def leader_state_of(partition: Partition) -> LeaderState:
    """The leader's state of a partition that is led here."""
    assert partition.leader_state is not None
    return partition.leader_state


def make_follower(partition: Partition) -> None:
    """Another node is elected."""
    known = partition.registration
    assert known is not None
    partition.make_follower(
        replace(
            known,
            leader=2,
            leader_epoch=known.leader_epoch + 1,
            partition_epoch=known.partition_epoch + 1,
        )
    )


def records(*values: bytes, **header: int) -> memoryview:
    """A batch as in a connection's buffer."""
    return memoryview(bytearray(batch(*values, **header)))


def append(partition: Partition, count: int = 1, acks: int = 1) -> bool:
    """A producer sends *count* records; returns whether the high watermark moved."""
    _, moved = partition.append_as_leader(records(*[b"a"] * count), acks, 9)
    return moved


def fetched(
    partition: Partition,
    node_id: int,
    offset: int,
    *,
    log_start_offset: int = 0,
    epoch: int | None = None,
    has_delayed_deletes: bool = False,
) -> None:
    """A follower fetches from *offset*, in its present broker epoch or in *epoch*."""
    leader_state = leader_state_of(partition)
    leader_state.update_follower_fetch_state(
        FollowerFetch(
            node_id,
            broker_epoch(node_id) if epoch is None else epoch,
            leader_state._node.now_ms(),  # noqa: SLF001 - the time of the test
            has_delayed_deletes=has_delayed_deletes,
        ),
        partition.log.offset_metadata(offset),
        log_start_offset,
        partition.log.log_end_offset,
    )


def consumer(
    *,
    isolation: FetchIsolation = FetchIsolation.HIGH_WATERMARK,
    max_bytes: int = 1 << 20,
    leader_only: bool = False,
) -> FetchParams:
    """A consumer that does not wait."""
    return FetchParams(-1, 0, 1, max_bytes, isolation, leader_only)


def waiting(params: FetchParams, max_wait_ms: int) -> FetchParams:
    """*params* of a fetch that waits."""
    return FetchParams(
        params.replica_id,
        max_wait_ms,
        params.min_bytes,
        params.max_bytes,
        params.isolation,
        params.leader_only,
        params.replica_epoch,
    )


def follower(node_id: int, *, epoch: int | None = None) -> FetchParams:
    """A follower that does not wait."""
    replica_epoch = broker_epoch(node_id) if epoch is None else epoch
    return FetchParams(node_id, 0, 1, 1 << 20, FetchIsolation.LOG_END, True, replica_epoch)


def at(
    offset: int, key: TopicPartition = KEY, *, epoch: int = -1, last_fetched_epoch: int = -1
) -> FetchPartition:
    """A fetch of one partition at *offset*."""
    return FetchPartition(key, UUID(int=0), offset, 1 << 20, epoch, last_fetched_epoch, 0)
