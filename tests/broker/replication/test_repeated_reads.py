"""A read that found nothing is repeated only after the partition has changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from broker.replication.fetch_data import FetchIsolation, FetchParams, LogReadResult
from broker.replication.log_reader import read_from_log
from broker.replication.partition import Partition
from broker.storage.segments.offset_metadata import LogOffsetMetadata
from protocol.errors import ErrorCode
from tests.broker.replication.world import (
    KEY,
    append,
    at,
    broker_epoch,
    consumer,
    fetched,
    follower,
    hosted,
    make_follower,
    make_partition,
)

_FACTS = (
    "error",
    "high_watermark",
    "last_stable_offset",
    "log_start_offset",
    "diverging_epoch",
    "log_end_offset",
    "aborted",
)

PARAMS = [consumer(), consumer(isolation=FetchIsolation.TXN_COMMITTED), follower(2)]
IDS = ["consumer", "read_committed", "follower"]


@pytest.fixture
def partition(tmp_path: Path) -> Partition:
    """Two records, which the follower has as well."""
    made = make_partition(tmp_path, replicas=(1, 2), isr=(1, 2))
    append(made, 2)
    fetched(made, 2, 2)
    return made


def _facts(result: LogReadResult) -> tuple[object, ...]:
    start = result.start
    position = start.segment_base_offset, start.relative_position_in_segment
    return (bytes(result.records), position, *(getattr(result, name) for name in _FACTS))  # type: ignore[arg-type]  # these are in memory


@pytest.mark.parametrize("params", PARAMS, ids=IDS)
def test_an_unchanged_partition_is_not_read_again(
    partition: Partition, params: FetchParams
) -> None:
    """Its last result is used."""
    requested = at(2)
    [first] = read_from_log(hosted(partition), params, [requested])

    [second] = read_from_log(hosted(partition), params, [requested])

    assert second is first


def _appends(partition: Partition) -> None:
    append(partition)


def _appends_and_replicates(partition: Partition) -> None:
    append(partition)
    fetched(partition, 2, 3)


def _raises_the_high_watermark(partition: Partition) -> None:
    partition.log.update_high_watermark(LogOffsetMetadata(1))


def _deletes_records(partition: Partition) -> None:
    partition.log.maybe_increment_log_start_offset(2)


def _rolls(partition: Partition) -> None:
    partition.log.roll()


def _truncates(partition: Partition) -> None:
    partition.log.truncate_to(1)


def _fails(partition: Partition) -> None:
    partition.log.local_log.disk.fail("a disk", OSError(5, "Input/output error"))


_CHANGES = [
    _appends,
    _appends_and_replicates,
    _raises_the_high_watermark,
    _deletes_records,
    _rolls,
    _truncates,
    make_follower,
    _fails,
]


@pytest.mark.parametrize("params", PARAMS, ids=IDS)
@pytest.mark.parametrize("change", _CHANGES)
def test_a_read_after_a_change_is_that_of_a_new_fetch(
    partition: Partition, change: Callable[[Partition], None], params: FetchParams
) -> None:
    """Records, errors, offsets and positions are those of the present."""
    repeated = at(2, epoch=5)
    read_from_log(hosted(partition), params, [repeated])

    change(partition)

    [again] = read_from_log(hosted(partition), params, [repeated])
    [fresh] = read_from_log(hosted(partition), params, [at(2, epoch=5)])
    assert _facts(again) == _facts(fresh)


def test_a_removed_partition_is_not_found(partition: Partition) -> None:
    """A replica that is deleted still exists for a moment."""
    requested = at(2)
    read_from_log(hosted(partition), consumer(), [requested])

    [result] = read_from_log(hosted(), consumer(), [requested])

    assert result.error is ErrorCode.UNKNOWN_TOPIC_OR_PARTITION


def test_a_follower_of_an_earlier_broker_epoch_is_refused(partition: Partition) -> None:
    """Its session may be older than its registration."""
    requested = at(2)
    read_from_log(hosted(partition), follower(2), [requested])

    stale = follower(2, epoch=broker_epoch(2) - 1)
    [result] = read_from_log(hosted(partition), stale, [requested])

    assert result.error is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_fetch_with_another_isolation_reads_again(partition: Partition) -> None:
    """A session may be used with other parameters."""
    append(partition)
    requested = at(2)
    [hidden] = read_from_log(hosted(partition), consumer(), [requested])

    [visible] = read_from_log(
        hosted(partition), consumer(isolation=FetchIsolation.LOG_END), [requested]
    )

    assert (len(hidden.records), len(visible.records) > 0) == (0, True)


def test_an_older_consumer_is_refused_by_a_follower(partition: Partition) -> None:
    """The last fetch of the session may have had a newer version (KIP-392)."""
    make_follower(partition)
    requested = at(2)
    read_from_log(hosted(partition), consumer(), [requested])

    [result] = read_from_log(hosted(partition), consumer(leader_only=True), [requested])

    assert result.error is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_the_other_partitions_are_read(partition: Partition, tmp_path: Path) -> None:
    """Those that have not changed do not use the limit of the response."""
    other = make_partition(tmp_path, KEY._replace(partition=7))
    partitions = hosted(partition, other)
    unchanged, changed = at(2), at(0, other.key)
    [first, _] = read_from_log(partitions, consumer(), [unchanged, changed])
    append(other)

    [second, records] = read_from_log(partitions, consumer(max_bytes=1), [unchanged, changed])

    assert second is first
    assert len(records.records) > 0


def test_records_that_did_not_fit_are_read_next_time(partition: Partition, tmp_path: Path) -> None:
    """A read that found nothing because of a limit is not repeated."""
    other = make_partition(tmp_path, KEY._replace(partition=7))
    append(other)
    partitions = hosted(partition, other)
    requested = at(0, other.key)
    [_, omitted] = read_from_log(partitions, consumer(max_bytes=1), [at(0), requested])

    [found] = read_from_log(partitions, consumer(), [requested])

    assert (len(omitted.records), len(found.records) > 0) == (0, True)
