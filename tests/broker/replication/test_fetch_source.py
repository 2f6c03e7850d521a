"""The state of the logs that a delayed fetch checks."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.fetch_data import FetchIsolation, FetchParams
from broker.replication.fetch_source import LogFetchSource
from broker.replication.hosted_partitions import HostedPartitions
from broker.replication.log_reader import read_from_log
from tests.broker.replication.world import (
    KEY,
    append,
    consumer,
    hosted,
    make_follower,
    make_partition,
)


def _source(partitions: HostedPartitions, params: FetchParams) -> LogFetchSource[object]:
    return LogFetchSource(partitions, params, [], print, read_from_log)


def test_the_end_depends_on_the_isolation(tmp_path: Path) -> None:
    """A follower waits for the log end, a consumer for the high watermark."""
    partition = make_partition(tmp_path, replicas=(1, 2), min_insync_replicas=2)
    append(partition)
    partitions = hosted(partition)

    ends = {}
    for isolation in FetchIsolation:
        end = _source(partitions, consumer(isolation=isolation)).end_offset(KEY, -1)
        assert end is not None
        ends[isolation] = end.message_offset

    assert ends == {
        FetchIsolation.LOG_END: 1,
        FetchIsolation.HIGH_WATERMARK: 0,
        FetchIsolation.TXN_COMMITTED: 0,
    }


def test_an_unreadable_partition_ends_the_wait(tmp_path: Path) -> None:
    """Unknown, fenced, or led by another node: the read that follows returns the error."""
    partition = make_partition(tmp_path)
    source = _source(hosted(partition), consumer(leader_only=True))

    assert source.end_offset(TopicPartition("gone", 0), -1) is None
    assert source.end_offset(KEY, 4) is None
    make_follower(partition)
    assert source.end_offset(KEY, -1) is None


def test_an_unknown_leader_epoch_is_an_exception(tmp_path: Path) -> None:
    """Kafka also raises it from the operation."""
    source = _source(hosted(make_partition(tmp_path)), consumer())

    with pytest.raises(ApiError):
        source.end_offset(KEY, 6)


def test_diverging_and_unknown_epochs_end_the_wait(tmp_path: Path) -> None:
    """Case H: the logs diverge, or the epoch is unknown."""
    partition = make_partition(tmp_path)
    append(partition)
    source = _source(hosted(partition), consumer())

    assert not source.diverges(KEY, 5, 1)
    assert source.diverges(KEY, 9, 1)
    assert not source.is_throttled(KEY)
