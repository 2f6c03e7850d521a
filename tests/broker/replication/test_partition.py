"""One partition on a node, as leader and as follower (mirrors Kafka's PartitionTest)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from broker.common.errors import ApiError
from broker.controller.image import PartitionRegistration
from broker.replication.partition import DELETE_TO_HIGH_WATERMARK, Partition
from broker.storage.append import AppendRefused
from broker.storage.log import Log
from broker.storage.log_config import LogConfig
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
def test_epochs_are_compared(tmp_path: Path, epoch: int, error: ErrorCode) -> None:
    """Older is fenced, newer unknown, none no question (testFetchOffsetForTimestampEpoch...)."""
    assert _refusal(make_partition(tmp_path), epoch) is error
    assert _refusal(make_partition(tmp_path, leader=2), epoch, leader_required=False) is error


def test_a_follower_answers_only_those_who_may_ask_it(tmp_path: Path) -> None:
    """Who must ask the leader is sent there (Kafka's ...ValidationForFollower tests)."""
    partition = make_partition(tmp_path, leader=2)

    assert not partition.is_leader
    assert _refusal(partition, -1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert _refusal(partition, 5) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert _refusal(partition, -1, leader_required=False) is ErrorCode.NONE


def test_a_partition_nobody_has_told_of_has_no_epoch(tmp_path: Path) -> None:
    """Between the opening of its log and the image's word it is neither leader nor follower."""
    log = Log.open(tmp_path / str(KEY), KEY, LogConfig(), StillClock())
    partition = Partition(KEY, uuid4(), FakeNode(), log, 1)

    assert (partition.registration, partition.leader_epoch) == (None, -1)
    assert _refusal(partition, -1) is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_a_new_epoch_begins_at_the_log_end(tmp_path: Path) -> None:
    """Becoming leader notes where the epoch starts (Kafka's testMakeLeaderUpdatesEpochCache)."""
    partition = make_partition(tmp_path)
    append(partition)
    known = leader_state_of(partition).registration

    partition.make_leader(replace(known, leader_epoch=7, partition_epoch=1))
    append(partition)

    assert partition.log.end_offset_for_epoch(5) == (5, 1)
    assert partition.log.latest_epoch == 7


def test_only_a_new_epoch_makes_a_follower_start_over(tmp_path: Path) -> None:
    """Kafka's testMakeFollowerWithNoLeaderIdChange: another set of replicas does not."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    known = partition.registration
    assert known is not None

    assert not partition.make_follower(replace(known, isr=(2, 3), partition_epoch=1))
    assert partition.make_follower(replace(known, leader=3, leader_epoch=6, partition_epoch=2))
    assert partition.leader_epoch == 6


def test_a_leader_told_of_an_older_state_stays_as_it_is(tmp_path: Path) -> None:
    """Kafka's testIgnoreLeaderPartitionStateChangeWithOlderPartitionEpoch."""
    partition = make_partition(tmp_path, replicas=ALL, isr=ALL)
    known = replace(leader_state_of(partition).registration, partition_epoch=3)
    partition.make_leader(known)

    partition.make_leader(replace(known, isr=(1,), partition_epoch=2))
    partition.make_follower(replace(known, leader=2, leader_epoch=4, partition_epoch=2))

    assert partition.is_leader
    assert partition.registration == known


def test_a_leader_told_what_it_knows_stays_as_it_is(tmp_path: Path) -> None:
    """Another partition of the topic has changed, while a change of this one is under way.

    Were the newcomer not waited for any more, the controller might elect it without our records.
    """
    node = FakeNode()
    partition = make_partition(tmp_path, node=node, replicas=(1, 2))
    append(partition)
    fetched(partition, 2, 1)
    assert node.asked_for == [(1, 2)]

    partition.make_leader(leader_state_of(partition).registration)
    append(partition)

    assert leader_state_of(partition).isr.maximal == (1, 2)
    assert partition.log.high_watermark == 1
    node.agree(partition)
    assert leader_state_of(partition).isr.committed == (1, 2)


def test_a_follower_told_of_an_older_state_stays_as_it_is(tmp_path: Path) -> None:
    """Kafka's testIgnoreFollowerPartitionStateChangeWithOlderPartitionEpoch."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    known = PartitionRegistration(ALL, ALL, 2, 6, 3)
    partition.make_follower(known)

    assert not partition.make_leader(replace(known, leader=1, partition_epoch=2))
    assert not partition.make_follower(replace(known, leader_epoch=5, partition_epoch=2))

    assert not partition.is_leader
    assert partition.registration == known


def test_an_answer_to_a_former_leader_moves_nothing(tmp_path: Path) -> None:
    """It alone was to remain in the set; but another was elected, and has not said what it has."""
    node = FakeNode()
    partition = make_partition(tmp_path, node=node, replicas=(1, 2), isr=(1, 2))
    append(partition)
    node.time_ms += LAG_MAX_MS + 1
    former = leader_state_of(partition)
    former.maybe_shrink_isr()
    assert node.asked_for == [(1,)]

    make_follower(partition)
    node.agree_with(former)

    assert partition.log.high_watermark == 0
    assert node.moved == []


# -------------------------------------------------------------------------------------- leader


def test_alone_in_the_set_the_high_watermark_follows_the_log_end(tmp_path: Path) -> None:
    """With no follower in the set, what is appended is replicated."""
    partition = make_partition(tmp_path)

    assert append(partition, 2, acks=-1).high_watermark_moved
    assert partition.log.high_watermark == partition.log.log_end_offset == 2


def test_with_followers_an_append_moves_the_log_end_only(tmp_path: Path) -> None:
    """They have not fetched it yet."""
    partition = make_partition(tmp_path, replicas=ALL, isr=ALL)

    assert not append(partition, 2, acks=-1).high_watermark_moved
    assert (partition.log.high_watermark, partition.log.log_end_offset) == (0, 2)


def test_below_min_isr_acks_all_is_refused_and_nothing_written(tmp_path: Path) -> None:
    """NOT_ENOUGH_REPLICAS comes before the append (Kafka's testIsUnderMinIsr)."""
    partition = make_partition(tmp_path, replicas=ALL, min_insync_replicas=2)

    with pytest.raises(ApiError) as refusal:
        append(partition, acks=-1)

    assert refusal.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert partition.log.log_end_offset == 0
    assert not append(partition, acks=1).high_watermark_moved


def test_min_isr_can_be_changed(tmp_path: Path) -> None:
    """Another min.insync.replicas holds from the next append on, and for later leaderships."""
    partition = make_partition(tmp_path, replicas=ALL, min_insync_replicas=2)

    partition.set_min_insync_replicas(1)
    assert append(partition, acks=-1).high_watermark_moved

    partition.set_min_insync_replicas(3)
    make_follower(partition)
    partition.make_leader(PartitionRegistration(ALL, (1,), 1, 9, 9))
    assert leader_state_of(partition).below_min_isr


def test_a_follower_takes_no_produce_and_no_deletion(tmp_path: Path) -> None:
    """Both are the leader's (NOT_LEADER_OR_FOLLOWER)."""
    partition = make_partition(tmp_path, leader=2)

    with pytest.raises(ApiError) as produce:
        append(partition)
    with pytest.raises(ApiError) as deletion:
        partition.delete_records(0)

    assert produce.value.code is deletion.value.code is ErrorCode.NOT_LEADER_OR_FOLLOWER


def test_enough_replicas(tmp_path: Path) -> None:
    """A waiting produce is through once the high watermark is past its records."""
    partition = make_partition(tmp_path)
    append(partition)

    assert partition.check_enough_replicas(1) == (True, ErrorCode.NONE)
    assert partition.check_enough_replicas(2) == (False, ErrorCode.NONE)
    make_follower(partition)
    assert partition.check_enough_replicas(1) == (False, ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_replicated_while_too_few_are_in_sync(tmp_path: Path) -> None:
    """NOT_ENOUGH_REPLICAS_AFTER_APPEND: it is there, but not as safe as was asked for.

    Seen only if min.insync.replicas rises meanwhile, since below it the high watermark stands.
    """
    partition = make_partition(tmp_path, replicas=ALL, isr=(1, 2), min_insync_replicas=2)
    append(partition)
    fetched(partition, 2, 1)

    partition.set_min_insync_replicas(3)

    error = ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND
    assert partition.check_enough_replicas(1) == (True, error)


def test_records_are_deleted_up_to_the_high_watermark(tmp_path: Path) -> None:
    """-1 means all that can be; above it and below 0 is out of range (Kafka's DeleteRecords)."""
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
    """Its high watermark is the leader's at the time of the answer, or its own log end."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    assert not partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 0, 0)
    assert partition.log.high_watermark == 0
    assert partition.append_as_follower(memoryview(b""), 5, 9, 0)
    assert partition.log.high_watermark == 2
    assert not partition.append_as_follower(memoryview(b""), 5, 9, 0)


def test_a_follower_deletes_what_its_leader_has_deleted(tmp_path: Path) -> None:
    """After the high watermark, so that the log start is never above it."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 2, 1)

    assert (partition.log.log_start_offset, partition.log.high_watermark) == (1, 2)


def test_a_followers_log_start_waits_for_its_high_watermark(tmp_path: Path) -> None:
    """A leader that deletes while it answers may be ahead with one and not with the other."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 1, 2)

    assert (partition.log.log_start_offset, partition.log.high_watermark) == (1, 1)


def test_a_new_leader_may_know_less_than_its_followers(tmp_path: Path) -> None:
    """The follower takes over the lower high watermark, too."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 2, 0)

    assert not partition.append_as_follower(memoryview(b""), 6, 1, 0)

    assert partition.log.high_watermark == 1


def test_a_follower_may_begin_inside_a_batch(tmp_path: Path) -> None:
    """The leader has deleted half of it, and sends it whole; the log start is the leader's.

    Kafka's testAppendRecordsAsFollowerBelowLogStartOffset.
    """
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.log.truncate_fully_and_start_at(7)

    moved = partition.append_as_follower(_replicated(6, b"a", b"b", b"c"), 5, 9, 7)

    log = partition.log
    assert moved
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (7, 9, 9)


def test_a_follower_whose_records_are_all_deleted_may_begin_inside_a_batch(
    tmp_path: Path,
) -> None:
    """What it has there was never committed; the leader has deleted the proof, and more."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.append_as_follower(_replicated(0, b"a", b"b", b"x", epoch=4), 5, 1, 0)

    partition.append_as_follower(_replicated(2, b"c", b"d", b"e"), 5, 5, 3)

    log = partition.log
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (3, 5, 5)
    assert log.end_offset_for_epoch(5) == (5, 5)


def test_a_follower_with_records_takes_none_that_it_has(tmp_path: Path) -> None:
    """Only an empty log may begin anew."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)
    partition.append_as_follower(_replicated(0, b"a"), 5, 1, 0)

    with pytest.raises(AppendRefused):
        partition.append_as_follower(_replicated(0, b"a", b"b"), 5, 2, 0)

    assert partition.log.log_end_offset == 1


def test_a_follower_keeps_the_leaders_epochs(tmp_path: Path) -> None:
    """Batches bear the epoch they were written in."""
    partition = make_partition(tmp_path, leader=2, replicas=ALL, isr=ALL)

    partition.append_as_follower(_replicated(0, b"a", b"b", epoch=3), 5, 0, 0)
    partition.append_as_follower(_replicated(2, b"c", epoch=5), 5, 0, 0)

    assert partition.log.end_offset_for_epoch(3) == (3, 2)
    assert partition.log.latest_epoch == 5
