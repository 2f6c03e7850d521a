"""Reading several partitions under one limit."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchIsolation, FetchPartition
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.log_reader import read_from_log
from protocol.errors import ErrorCode
from tests.batches import batch
from tests.broker.replication.world import (
    KEY,
    OTHER,
    append,
    at,
    broker_epoch,
    consumer,
    follower,
    hosted,
    make_follower,
    make_partition,
)

SIZE = len(batch(b"a"))


@pytest.fixture
def partitions(tmp_path: Path) -> HostedPartitions:
    """Two partitions with two batches each."""
    found = hosted(*(make_partition(tmp_path, key) for key in (KEY, OTHER)))
    for partition in found.values():
        append(partition)
        append(partition)
    return found


def test_partitions_are_read_in_the_order_of_the_request(partitions: HostedPartitions) -> None:
    """The first ones use the limit first (Kafka's FetchRequestTest)."""
    results = read_from_log(partitions, consumer(max_bytes=SIZE), [at(0, OTHER), at(0)])

    assert [len(result.records) for result in results] == [SIZE, 0]
    assert [result.high_watermark for result in results] == [2, 2]


def test_the_next_partition_gets_its_batch_when_the_first_has_nothing(
    partitions: HostedPartitions,
) -> None:
    """The whole response must have a batch, not its first partition."""
    results = read_from_log(partitions, consumer(max_bytes=1), [at(2), at(0, OTHER)])

    assert [len(result.records) for result in results] == [0, SIZE]


def test_a_negative_limit_applies_to_the_first_partition_only(
    partitions: HostedPartitions,
) -> None:
    """Afterwards nothing remains, and the first batch is returned nevertheless."""
    results = read_from_log(partitions, consumer(max_bytes=-1), [at(0), at(0, OTHER)])

    assert [result.error for result in results] == [ErrorCode.UNKNOWN_SERVER_ERROR, 0]
    assert [len(result.records) for result in results] == [0, SIZE]


def test_an_error_concerns_one_partition(partitions: HostedPartitions) -> None:
    """The other partitions are read."""
    requested = [at(99), at(0, TopicPartition("gone", 0)), at(0, epoch=4), at(0, OTHER)]

    results = read_from_log(partitions, consumer(), requested)

    assert [result.error for result in results] == [
        ErrorCode.OFFSET_OUT_OF_RANGE,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.NONE,
    ]
    assert len(results[-1].records) == 2 * SIZE


def test_another_topic_id_is_inconsistent(partitions: HostedPartitions) -> None:
    """Kafka's testFetchMessagesWithInconsistentTopicId."""
    requested = FetchPartition(KEY, uuid4(), 0, 1 << 20)

    (result,) = read_from_log(partitions, consumer(), [requested])

    assert result.error is ErrorCode.INCONSISTENT_TOPIC_ID


def test_consumers_do_not_read_beyond_the_high_watermark(tmp_path: Path) -> None:
    """Kafka's testFetchBeyondHighWatermark: no records and no error."""
    partition = make_partition(tmp_path, replicas=(1, 2), min_insync_replicas=2)
    append(partition)
    partitions = hosted(partition)

    (hidden,) = read_from_log(partitions, consumer(), [at(0)])
    (beyond,) = read_from_log(partitions, consumer(), [at(1)])
    (seen,) = read_from_log(partitions, consumer(isolation=FetchIsolation.LOG_END), [at(0)])

    assert (hidden.error, len(hidden.records), hidden.high_watermark) == (ErrorCode.NONE, 0, 0)
    assert (beyond.error, len(beyond.records)) == (ErrorCode.NONE, 0)
    assert len(seen.records) == SIZE
    assert seen.records is not None


def test_older_consumers_cannot_read_from_a_follower(partitions: HostedPartitions) -> None:
    """Kafka's testFetchFollowerNotAllowedForOlderClients."""
    make_follower(partitions[KEY])

    (old,) = read_from_log(partitions, consumer(leader_only=True), [at(0)])
    (new,) = read_from_log(partitions, consumer(), [at(0)])

    assert old.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert new.error is ErrorCode.NONE


def test_a_diverging_follower_gets_the_diverging_epoch(partitions: HostedPartitions) -> None:
    """The response has the epoch and its end instead of records (KIP-595)."""
    (same,) = read_from_log(partitions, consumer(), [at(1, last_fetched_epoch=5)])
    partitions[KEY].log.leader_epoch_cache.assign_all([(6, 2)])
    (parted,) = read_from_log(partitions, consumer(), [at(3, last_fetched_epoch=5)])

    assert same.diverging_epoch is None
    assert parted.diverging_epoch == (5, 2)
    assert (parted.error, len(parted.records)) == (ErrorCode.NONE, 0)


def test_a_follower_reads_to_the_log_end(tmp_path: Path) -> None:
    """The other half of Kafka's testFetchBeyondHighWatermark.

    The response has the previous offsets.
    """
    partition = make_partition(tmp_path, replicas=(1, 2), isr=(1, 2))
    append(partition)

    (result,) = read_from_log(hosted(partition), follower(2), [at(0)])

    assert (len(result.records), result.high_watermark, result.log_end_offset) == (SIZE, 0, 1)


@pytest.mark.parametrize(
    ("epoch", "error"),
    [(5, ErrorCode.UNKNOWN_LEADER_EPOCH), (-1, ErrorCode.NOT_LEADER_OR_FOLLOWER)],
)
def test_a_node_that_is_not_a_replica_is_refused(
    tmp_path: Path, epoch: int, error: ErrorCode
) -> None:
    """Kafka's testFetchFromUnrecognizedFollower: with an epoch it may have newer metadata."""
    partition = make_partition(tmp_path, replicas=(1, 2), isr=(1, 2))

    (result,) = read_from_log(hosted(partition), follower(3), [at(0, epoch=epoch)])

    assert result.error is error
    assert len(result.records) == 0


@pytest.mark.parametrize("epoch", [5, -1])
def test_a_follower_of_an_earlier_broker_epoch_is_refused(tmp_path: Path, epoch: int) -> None:
    """Kafka's testFenceFollowerFetchWithStaleBrokerEpoch: for every leader epoch."""
    partition = make_partition(tmp_path, replicas=(1, 2), isr=(1, 2))
    stale = follower(2, epoch=broker_epoch(2) - 1)

    (result,) = read_from_log(hosted(partition), stale, [at(0, epoch=epoch)])

    assert result.error is ErrorCode.NOT_LEADER_OR_FOLLOWER
