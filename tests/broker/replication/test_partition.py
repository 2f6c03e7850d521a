"""One partition on its leader."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from broker.errors import ApiError
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from tests.batches import batch
from tests.broker.replication.world import make_partition


def _append(partition: Partition, *values: bytes, acks: int = -1) -> bool:
    records = memoryview(bytearray(batch(*values)))
    return partition.append_as_leader(records, acks, 9).high_watermark_moved


def test_alone_in_the_isr_the_high_watermark_follows_the_log_end(tmp_path: Path) -> None:
    """With no follower in the set, what is appended is replicated."""
    partition = make_partition(tmp_path)

    assert _append(partition, b"a", b"b")
    assert partition.log.high_watermark == partition.log.log_end_offset == 2


def test_below_min_isr_the_high_watermark_stands_still(tmp_path: Path) -> None:
    """Kafka's testHighWatermarkAdvanceShouldNotAdvanceWhenUnderMinISR (KIP-966)."""
    partition = make_partition(tmp_path, replicas=(1, 2), min_insync_replicas=2)

    assert not _append(partition, b"a", acks=1)
    assert (partition.log.log_end_offset, partition.log.high_watermark) == (1, 0)


def test_below_min_isr_acks_all_is_refused_and_nothing_written(tmp_path: Path) -> None:
    """NOT_ENOUGH_REPLICAS comes before the append (Kafka's testIsUnderMinIsr)."""
    partition = make_partition(tmp_path, replicas=(1, 2), min_insync_replicas=2)

    with pytest.raises(ApiError) as refusal:
        _append(partition, b"a")

    assert refusal.value.code is ErrorCode.NOT_ENOUGH_REPLICAS
    assert partition.log.log_end_offset == 0


def test_min_isr_never_asks_for_more_than_there_are(tmp_path: Path) -> None:
    """One replica is enough when there is but one."""
    partition = make_partition(tmp_path, min_insync_replicas=3)

    assert partition.effective_min_isr == 1
    assert _append(partition, b"a")


def _refusal(partition: Partition, epoch: int, *, leader_required: bool = True) -> ErrorCode:
    try:
        partition.check_leader(epoch, leader_required=leader_required)
    except ApiError as refusal:
        return refusal.code
    return ErrorCode.NONE


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
    """An older epoch is fenced, a newer one unknown, and none is no question."""
    assert _refusal(make_partition(tmp_path), epoch) is error


def test_a_follower_answers_only_those_who_may_ask_it(tmp_path: Path) -> None:
    """Who must ask the leader is sent there."""
    partition = make_partition(tmp_path)
    partition.is_leader = False

    assert _refusal(partition, -1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert _refusal(partition, -1, leader_required=False) is ErrorCode.NONE


def test_enough_replicas(tmp_path: Path) -> None:
    """A waiting produce is through once the high watermark is past its records."""
    partition = make_partition(tmp_path)
    _append(partition, b"a")

    assert partition.check_enough_replicas(1) == (True, ErrorCode.NONE)
    assert partition.check_enough_replicas(2) == (False, ErrorCode.NONE)
    partition.is_leader = False
    assert partition.check_enough_replicas(1) == (False, ErrorCode.NOT_LEADER_OR_FOLLOWER)


def test_a_new_epoch_begins_at_the_log_end(tmp_path: Path) -> None:
    """Becoming leader notes where the epoch starts."""
    partition = make_partition(tmp_path)
    _append(partition, b"a")

    partition.make_leader(replace(partition.registration, leader_epoch=7))
    _append(partition, b"b")

    assert partition.log.end_offset_for_epoch(5) == (5, 1)
    assert partition.log.latest_epoch == 7
