"""Partitions on a disk of the test's own, without a node around them."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID, uuid4

from broker.config import Config
from broker.controller.image import PartitionRegistration
from broker.replication.fetch_data import FetchIsolation, FetchParams, FetchPartition
from broker.replication.partition import Partition
from broker.storage.log import Log
from broker.topic_config import TopicConfig
from broker.topic_partition import TopicPartition
from tests.batches import TIMESTAMP_MS

KEY = TopicPartition("t", 0)
OTHER = TopicPartition("t", 1)


class StoppedClock:
    """A clock that stands at the time of the tests' batches."""

    def now_ms(self) -> float:
        """Zero."""
        return 0

    def wall_ms(self) -> int:
        """The time of the batches."""
        return TIMESTAMP_MS


def make_partition(
    folder: Path,
    key: TopicPartition = KEY,
    *,
    isr: tuple[int, ...] = (1,),
    replicas: tuple[int, ...] = (1,),
    min_insync_replicas: int = 1,
    leader_epoch: int = 5,
) -> Partition:
    """A partition led by node 1 in epoch 5."""
    config = TopicConfig(Config(), {}).log_config()
    log = Log.open(folder / str(key), key, config, StoppedClock())
    registration = PartitionRegistration(replicas, isr, 1, leader_epoch)
    partition = Partition(key, uuid4(), 1, log, registration, min_insync_replicas)
    partition.make_leader(registration)
    return partition


def consumer(
    *,
    isolation: FetchIsolation = FetchIsolation.HIGH_WATERMARK,
    max_bytes: int = 1 << 20,
    leader_only: bool = False,
) -> FetchParams:
    """A consumer that waits for nothing."""
    return FetchParams(-1, 0, 1, max_bytes, isolation, leader_only)


def at(
    offset: int, key: TopicPartition = KEY, *, epoch: int = -1, last_fetched_epoch: int = -1
) -> FetchPartition:
    """A fetch of one partition at *offset*."""
    return FetchPartition(key, UUID(int=0), offset, 1 << 20, epoch, last_fetched_epoch)
