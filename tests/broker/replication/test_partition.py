"""A replica as leader and as follower (mirrors Kafka's PartitionTest)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from broker.common.errors import ApiError
from broker.controller.metadata.image import PartitionRegistration
from broker.replication.partition import DELETE_TO_HIGH_WATERMARK, Partition
from broker.storage.log.open_log import open_log
from broker.storage.log_config import LogConfig
from broker.storage.validation.append import AppendRefused
from protocol.errors import ErrorCode
from tests.broker.replication.world import (
    KEY,
    LAG_MAX_MS,
    FakeNode,
    append,
    fetched,
    leader_state_of,
    make_follower,
    make_partition,
    records,
)
from tests.broker.storage.logs import StillClock

ALL = (1, 2, 3)


def _refusal(partition: Partition, epoch: int, *, leader_required: bool = True) -> ErrorCode:
    try:
        partition.check_leader(epoch, leader_required=leader_required)
    except ApiError as refusal:
        return refusal.code
    return ErrorCode.NONE


def _replicated(first_offset: int, *values: bytes, epoch: int = 5) -> memoryview:
    """Records as a leader sends them."""
    return records(*values, base_offset=first_offset, partition_leader_epoch=epoch)


# ---------------------------------------------------------------------------------------- role


@pytest.mark.parametrize(
    ("epoch", "error"),
    [
        (-1, ErrorCode.NONE),
        (5, ErrorCode.NONE),
        (4, ErrorCode.FENCED_LEADER_EPOCH),
        (6, ErrorCode.UNKNOWN_LEADER_EPOCH),
    ],
)
def test_leader_epochs_are_compared(tmp_path: Path, epoch: int, error: ErrorCode) -> None:
    """Older is fenced, newer unknown, -1 not compared (testFetchOffsetForTimestampEpoch...)."""
    assert _refusal(make_partition(tmp_path), epoch) is error
    assert _refusal(make_partition(tmp_path, leader=2), epoch, leader_required=False) is error


def test_a_follower_refuses_requests_that_require_the_leader(tmp_path: Path) -> None:
    """Kafka's ...ValidationForFollower tests."""
    partition = make_partition(tmp_path, leader=2)

    assert not partition.is_leader
    assert _refusal(partition, -1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert _refusal(partition, 5) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert _refusal(partition, -1, leader_required=False) is ErrorCode.NONE


def test_a_verification_begins_on_the_leader_only(tmp_path: Path) -> None:
    """NOT_LEADER_OR_FOLLOWER elsewhere."""
    leader, follower = make_partition(tmp_path / "1"), make_partition(tmp_path / "2", leader=2)

    assert leader.maybe_start_transaction_verification(7, 0, 0, True) > 0
    with pytest.raises(ApiError) as refused:
        follower.maybe_start_transaction_verification(7, 0, 0, True)
    assert refused.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_new_partition_has_no_leader_epoch(tmp_path: Path) -> None:
    """After its log is opened and before its metadata is applied it has no role."""
    log = open_log(tmp_path / str(KEY), KEY, LogConfig(), StillClock())
    partition = Partition(KEY, uuid4(), FakeNode(), log, 1)

    assert (partition.registration, partition.leader_epoch) == (None, -1)
    assert _refusal(partition, -1) is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_new_leader_epoch_starts_at_the_log_end(tmp_path: Path) -> None:
    """A new leader records the start offset (Kafka's testMakeLeaderUpdatesEpochCache)."""
    partition = make_partition(tmp_path)
    append(partition)
    known = leader_state_of(partition).registration

    partition.make_leader(replace(known, leader_epoch=7, partition_epoch=1))
    append(partition)

    assert partition.log.end_offset_for_epoch(5) == (5, 1)
    assert partition.log.leader_epoch_cache.latest == 7


def test_only_a_new_epoch_restarts_a_follower(tmp_path: Path) -> None:
    """Kafka's testMakeFollowerWithNoLeaderIdChange: other replicas do not."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    known = partition.registration
    assert known is not None

    assert not partition.make_follower(replace(known, isr=(2, 3), partition_epoch=1))
    assert partition.make_follower(replace(known, leader=3, leader_epoch=6, partition_epoch=2))
    assert partition.leader_epoch == 6


def test_a_leader_ignores_older_metadata(tmp_path: Path) -> None:
    """Kafka's testIgnoreLeaderPartitionStateChangeWithOlderPartitionEpoch."""
    partition = make_partition(tmp_path, replicas=ALL, isr=ALL)
    known = replace(leader_state_of(partition).registration, partition_epoch=3)
    partition.make_leader(known)

    partition.make_leader(replace(known, isr=(1,), partition_epoch=2))
    partition.make_follower(replace(known, leader=2, leader_epoch=4, partition_epoch=2))

    assert partition.is_leader
    assert partition.registration == known


def test_a_leader_ignores_unchanged_metadata(tmp_path: Path) -> None:
    """Another partition of the topic has changed while an ISR change of this one is pending.

    If the high watermark no longer waited for the newcomer, the controller could elect it without
    all records.
    """
    node = FakeNode()
    partition = make_partition(tmp_path, node=node, replicas=(1, 2))
    append(partition)
    fetched(partition, 2, 1)
    assert node.requested_isrs == [(1, 2)]

    partition.make_leader(leader_state_of(partition).registration)
    append(partition)

    assert leader_state_of(partition).isr.maximal == (1, 2)
    assert partition.log.high_watermark == 1
    node.agree(partition)
    assert leader_state_of(partition).isr.committed == (1, 2)


def test_a_follower_ignores_older_metadata(tmp_path: Path) -> None:
    """Kafka's testIgnoreFollowerPartitionStateChangeWithOlderPartitionEpoch."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    known = PartitionRegistration(ALL, ALL, 2, 6, 3)
    partition.make_follower(known)

    assert not partition.make_leader(replace(known, leader=1, partition_epoch=2))
    assert not partition.make_follower(replace(known, leader_epoch=5, partition_epoch=2))

    assert not partition.is_leader
    assert partition.registration == known


def test_a_response_to_a_former_leader_moves_nothing(tmp_path: Path) -> None:
    """It had requested an ISR of itself alone, but another node has been elected."""
    node = FakeNode()
    partition = make_partition(tmp_path, node=node, replicas=(1, 2), isr=(1, 2))
    append(partition)
    node.time_ms += LAG_MAX_MS + 1
    former = leader_state_of(partition)
    former.maybe_shrink_isr()
    assert node.requested_isrs == [(1,)]

    make_follower(partition)
    node.agree_with(former)

    assert partition.log.high_watermark == 0
    assert node.moved == []


# -------------------------------------------------------------------------------------- leader


def test_alone_in_the_isr_the_high_watermark_follows_the_log_end(tmp_path: Path) -> None:
    """Without followers in the ISR, appended records are replicated."""
    partition = make_partition(tmp_path)

    assert append(partition, 2, acks=-1)
    assert partition.log.high_watermark == partition.log.log_end_offset == 2


def test_with_followers_an_append_moves_the_log_end_only(tmp_path: Path) -> None:
    """The followers have not fetched the records yet."""
    partition = make_partition(tmp_path, replicas=ALL, isr=ALL)

    assert not append(partition, 2, acks=-1)
    assert (partition.log.high_watermark, partition.log.log_end_offset) == (0, 2)


def test_below_min_isr_acks_all_is_refused_and_nothing_written(tmp_path: Path) -> None:
    """NOT_ENOUGH_REPLICAS precedes the append (Kafka's testIsUnderMinIsr)."""
    partition = make_partition(tmp_path, replicas=ALL, min_insync_replicas=2)

    with pytest.raises(ApiError) as refusal:
        append(partition, acks=-1)

    assert refusal.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert partition.log.log_end_offset == 0
    assert not append(partition, acks=1)


def test_min_isr_can_be_changed(tmp_path: Path) -> None:
    """Another min.insync.replicas applies to the next append and to later leader states."""
    partition = make_partition(tmp_path, replicas=ALL, min_insync_replicas=2)

    partition.set_min_insync_replicas(1)
    assert append(partition, acks=-1)

    partition.set_min_insync_replicas(3)
    make_follower(partition)
    partition.make_leader(PartitionRegistration(ALL, (1,), 1, 9, 9))
    assert leader_state_of(partition).below_min_isr


def test_a_follower_refuses_appends_and_deletions(tmp_path: Path) -> None:
    """NOT_LEADER_OR_FOLLOWER."""
    partition = make_partition(tmp_path, leader=2)

    with pytest.raises(ApiError) as produce:
        append(partition)
    with pytest.raises(ApiError) as deletion:
        partition.delete_records(0)

    assert produce.value.code is deletion.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_produce_is_replicated_once_the_high_watermark_reaches_it(tmp_path: Path) -> None:
    """The high watermark is at or above the required offset."""
    partition = make_partition(tmp_path)
    append(partition)

    assert partition.check_enough_replicas(1) == (True, ErrorCode.NONE)
    assert partition.check_enough_replicas(2) == (False, ErrorCode.NONE)
    make_follower(partition)
    assert partition.check_enough_replicas(1) == (False, ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_a_replicated_produce_below_min_isr_fails(tmp_path: Path) -> None:
    """NOT_ENOUGH_REPLICAS_AFTER_APPEND.

    This occurs only if min.insync.replicas rises meanwhile, since below it the high watermark does
    not advance.
    """
    partition = make_partition(tmp_path, replicas=ALL, isr=(1, 2), min_insync_replicas=2)
    append(partition)
    fetched(partition, 2, 1)

    partition.set_min_insync_replicas(3)

    error = ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    assert partition.check_enough_replicas(1) == (True, error)


def test_records_are_deleted_up_to_the_high_watermark(tmp_path: Path) -> None:
    """-1 is the high watermark.

    An offset above it or below 0 is out of range (Kafka's DeleteRecords).
    """
    partition = make_partition(tmp_path, replicas=ALL, isr=(1, 2))
    append(partition, 3)
    fetched(partition, 2, 2)

    for offset in (3, -2):
        with pytest.raises(ApiError) as refusal:
            partition.delete_records(offset)
        assert refusal.value.code is ErrorCode.OFFSET_OUT_OF_RANGE
    assert partition.delete_records(1) == (1, -1)
    assert partition.delete_records(DELETE_TO_HIGH_WATERMARK) == (2, -1)
    assert partition.log.log_start_offset == 2


# ------------------------------------------------------------------------------------ follower


def test_a_follower_is_one_fetch_behind(tmp_path: Path) -> None:
    """Its high watermark is the leader's in the response, limited to its own log end."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    assert not partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 0, 0)
    assert partition.log.high_watermark == 0
    assert partition.append_as_follower(memoryview(b""), 5, 9, 0)
    assert partition.log.high_watermark == 2
    assert not partition.append_as_follower(memoryview(b""), 5, 9, 0)


def test_a_follower_takes_over_the_log_start_offset(tmp_path: Path) -> None:
    """After the high watermark, so that the log start offset is not above it."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 2, 1)

    assert (partition.log.log_start_offset, partition.log.high_watermark) == (1, 2)


def test_a_followers_log_start_waits_for_its_high_watermark(tmp_path: Path) -> None:
    """A leader that deletes while it responds may send a log start above the high watermark."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 1, 2)

    assert (partition.log.log_start_offset, partition.log.high_watermark) == (1, 1)


def test_a_follower_takes_over_a_lower_high_watermark(tmp_path: Path) -> None:
    """A new leader may have a lower one than its followers."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 2, 0)

    assert not partition.append_as_follower(memoryview(b""), 6, 1, 0)

    assert partition.log.high_watermark == 1


def test_a_followers_log_may_start_inside_a_batch(tmp_path: Path) -> None:
    """The leader has deleted part of a batch, and sends it whole.

    Kafka's testAppendRecordsAsFollowerBelowLogStartOffset.
    """
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.log.truncate_fully_and_start_at(7)

    moved = partition.append_as_follower(_replicated(6, b"a", b"b", b"c"), 5, 9, 7)

    log = partition.log
    assert moved
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (7, 9, 9)


def test_a_follower_with_only_deleted_records_restarts_inside_a_batch(
    tmp_path: Path,
) -> None:
    """Its records were never committed, and the leader has deleted beyond them."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.append_as_follower(_replicated(0, b"a", b"b", b"x", epoch=4), 5, 1, 0)

    partition.append_as_follower(_replicated(2, b"c", b"d", b"e"), 5, 5, 3)

    log = partition.log
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (3, 5, 5)
    assert log.end_offset_for_epoch(5) == (5, 5)


def test_a_follower_with_records_refuses_overlapping_ones(tmp_path: Path) -> None:
    """Only a log without retained records may restart."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.append_as_follower(_replicated(0, b"a"), 5, 1, 0)

    with pytest.raises(AppendRefused):
        partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 2, 0)

    assert partition.log.log_end_offset == 1


def test_a_follower_keeps_the_leaders_epochs(tmp_path: Path) -> None:
    """Batches keep the leader epoch in which they were appended."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    partition.append_as_follower(_replicated(0, b"a", b"b", epoch=3), 5, 0, 0)
    partition.append_as_follower(_replicated(2, b"c", epoch=5), 5, 0, 0)

    assert partition.log.end_offset_for_epoch(3) == (3, 2)
    assert partition.log.leader_epoch_cache.latest == 5
