"""Reading several partitions under one limit."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from broker.replication.fetch_data import FetchIsolation
from broker.replication.log_reader import read_from_logs
from broker.replication.partition import Partition
from broker.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from tests.batches import batch
from tests.broker.replication.world import KEY, OTHER, at, consumer, make_partition

Partitions = dict[TopicPartition, Partition]
SIZE = len(batch(b"a"))


@pytest.fixture
def partitions(tmp_path: Path) -> Partitions:
    """Two partitions with two batches each."""
    found = {key: make_partition(tmp_path, key) for key in (KEY, OTHER)}
    for partition in found.values():
        for _ in range(2):
            partition.append_as_leader(memoryview(bytearray(batch(b"a"))), 1, 9)
    return found


def test_partitions_are_read_in_the_order_asked(partitions: Partitions) -> None:
    """What is read first takes its share first (Kafka's FetchRequestTest)."""
    results = read_from_logs(partitions, consumer(max_bytes=SIZE), [at(0, OTHER), at(0)])

    assert [len(result.records) for result in results] == [SIZE, 0]
    assert [result.high_watermark for result in results] == [2, 2]


def test_the_next_partition_gets_its_batch_when_the_first_has_nothing(
    partitions: Partitions,
) -> None:
    """Progress is for the whole answer, not for the first partition only."""
    results = read_from_logs(partitions, consumer(max_bytes=1), [at(2), at(0, OTHER)])

    assert [len(result.records) for result in results] == [0, SIZE]


def test_an_error_is_the_partitions_own(partitions: Partitions) -> None:
    """One partition that cannot be read does not stop the others."""
    asked = [at(99), at(0, TopicPartition("gone", 0)), at(0, epoch=4), at(0, OTHER)]

    results = read_from_logs(partitions, consumer(), asked)

    assert [result.error for result in results] == [
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.NONE,
    ]
    assert len(results[-1].records) == 2 * SIZE


def test_an_id_that_is_not_the_partitions_is_inconsistent(partitions: Partitions) -> None:
    """Kafka's testFetchMessagesWithInconsistentTopicId."""
    asked = at(0)._replace(topic_id=uuid4())

    (result,) = read_from_logs(partitions, consumer(), [asked])

    assert result.error is ErrorCode.INCONSISTENT_TOPIC_ID


def test_consumers_do_not_see_beyond_the_high_watermark(tmp_path: Path) -> None:
    """Kafka's testFetchBeyondHighWatermark: empty and no error, though the log has more."""
    partition = make_partition(tmp_path, replicas=(1, 2), min_insync_replicas=2)
    partition.append_as_leader(memoryview(bytearray(batch(b"a"))), 1, 9)
    partitions = {KEY: partition}

    (hidden,) = read_from_logs(partitions, consumer(), [at(0)])
    (beyond,) = read_from_logs(partitions, consumer(), [at(1)])
    (seen,) = read_from_logs(partitions, consumer(isolation=FetchIsolation.LOG_END), [at(0)])

    assert (hidden.error, len(hidden.records), hidden.high_watermark) == (ErrorCode.NONE, 0, 0)
    assert (beyond.error, len(beyond.records)) == (ErrorCode.NONE, 0)
    assert len(seen.records) == SIZE
    assert seen.records is not None


def test_who_must_ask_the_leader_is_sent_there(partitions: Partitions) -> None:
    """Kafka's testFetchFollowerNotAllowedForOlderClients."""
    partitions[KEY].is_leader = False

    (old,) = read_from_logs(partitions, consumer(leader_only=True), [at(0)])
    (new,) = read_from_logs(partitions, consumer(), [at(0)])

    assert old.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert new.error is ErrorCode.NONE


def test_a_log_that_diverges_is_told_where(partitions: Partitions) -> None:
    """Who has read past the end of our epoch is told that end instead of records (KIP-595)."""
    (same,) = read_from_logs(partitions, consumer(), [at(1, last_fetched_epoch=5)])
    partitions[KEY].log.maybe_assign_epoch_start_offset(6, 2)
    (parted,) = read_from_logs(partitions, consumer(), [at(3, last_fetched_epoch=5)])

    assert same.diverging_epoch is None
    assert parted.diverging_epoch == (5, 2)
    assert (parted.error, len(parted.records)) == (ErrorCode.NONE, 0)
