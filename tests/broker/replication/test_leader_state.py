"""The leader's view of its followers: high watermark, epochs, eligibility (PartitionTest)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.replication.partition import Partition
from broker.replication.replica import UNKNOWN_OFFSET
from protocol.errors import ErrorCode
from tests.broker.replication.world import (
    KEY,
    LAG_MAX_MS,
    FakeNode,
    append,
    broker_epoch,
    fetched,
    leader_state_of,
    make_partition,
)

ALL = (1, 2, 3)


@pytest.fixture
def node() -> FakeNode:
    """Node 1, which leads."""
    return FakeNode()


@pytest.fixture
def partition(tmp_path: Path, node: FakeNode) -> Partition:
    """Ten records, three replicas, all in sync."""
    found = make_partition(tmp_path, node=node, isr=ALL, replicas=ALL)
    append(found, 10)
    return found


# ------------------------------------------------------------------------------ high watermark


def test_the_high_watermark_is_the_smallest_log_end_of_the_isr(partition: Partition) -> None:
    """Kafka's testUpdateFollowerFetchState."""
    fetched(partition, 2, 10)
    assert partition.log.high_watermark == 0

    fetched(partition, 3, 7)
    assert partition.log.high_watermark == 7

    fetched(partition, 3, 10)
    assert partition.log.high_watermark == 10


def test_operations_are_checked_once_for_each_move(partition: Partition, node: FakeNode) -> None:
    """With the replica and the offset; a fetch that moves nothing checks nothing."""
    fetched(partition, 2, 10)
    assert node.moved == []

    fetched(partition, 3, 10)
    fetched(partition, 3, 10)

    assert node.moved == [KEY]
    assert node.moved_by == [(10, 3)]


def test_the_high_watermark_never_goes_back(partition: Partition) -> None:
    """A member that has lost its log does not lower the high watermark."""
    fetched(partition, 2, 10)
    fetched(partition, 3, 10)

    fetched(partition, 2, 4)

    assert partition.log.high_watermark == 10


def test_the_high_watermark_waits_for_a_follower_that_may_join(
    tmp_path: Path, node: FakeNode
) -> None:
    """A recently caught-up follower outside of the ISR would otherwise never catch up."""
    partition = make_partition(tmp_path, node=node, isr=(1, 2), replicas=ALL)
    append(partition, 10)
    node.brokers.pop(3)
    fetched(partition, 3, 10)  # too early to join: it is fenced
    node.brokers |= FakeNode().brokers
    append(partition, 10)

    fetched(partition, 2, 20)
    assert partition.log.high_watermark == 10

    node.time_ms += LAG_MAX_MS + 1
    append(partition)
    fetched(partition, 2, 21)
    assert partition.log.high_watermark == 21


@pytest.mark.parametrize(
    ("fenced", "epoch", "high_watermark"),
    [(False, broker_epoch(3), 10), (True, broker_epoch(3), 20), (False, 1, 20)],
)
def test_the_high_watermark_waits_only_for_eligible_followers(
    partition: Partition, node: FakeNode, fenced: bool, epoch: int, high_watermark: int
) -> None:
    """Kafka's testHighWatermarkIncreasesWithFencedOrShutdownFollower.

    After the ISR has shrunk, a lagging follower delays the high watermark, but a fenced one, or one
    of an earlier broker epoch, does not (KIP-903).
    """
    leader_state = leader_state_of(partition)
    fetched(partition, 2, 10)
    fetched(partition, 3, 10)
    append(partition, 10)
    if fenced:
        del node.brokers[3]
    leader_state.replicas[3].broker_epoch = epoch
    leader_state.begin(
        replace(leader_state.registration, isr=(1, 2), partition_epoch=1), new_leader=False
    )

    fetched(partition, 2, 20)

    assert partition.log.high_watermark == high_watermark


def test_below_min_isr_the_high_watermark_does_not_advance(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testHighWatermarkAdvanceShouldNotAdvanceWhenUnderMinISR.

    The committed ISR counts, not the proposed one.
    """
    partition = make_partition(tmp_path, node=node, isr=(1,), replicas=ALL, min_insync_replicas=2)
    append(partition, 10)
    leader_state = leader_state_of(partition)

    fetched(partition, 2, 10)
    assert (leader_state.isr.committed, leader_state.isr.maximal) == ((1,), (1, 2))
    assert leader_state.below_min_isr
    assert partition.log.high_watermark == 0

    node.agree(partition)
    assert not leader_state.below_min_isr
    assert partition.log.high_watermark == 10
    assert node.moved == [KEY]


def test_min_isr_is_limited_to_the_number_of_replicas(tmp_path: Path) -> None:
    """Kafka's testIsUnderMinIsr and testAtMinIsr: a single replica is enough."""
    leader_state = leader_state_of(make_partition(tmp_path, min_insync_replicas=3))

    assert leader_state.effective_min_isr == 1
    assert not leader_state.below_min_isr


# ------------------------------------------------------------------------------- low watermark


def test_the_low_watermark_is_that_of_live_replicas(partition: Partition, node: FakeNode) -> None:
    """A dead follower does not delay deletions (Partition.lowWatermarkIfLeader)."""
    fetched(partition, 2, 10)
    fetched(partition, 3, 10)
    partition.delete_records(4)
    leader_state = leader_state_of(partition)

    assert leader_state.low_watermark() == 0
    fetched(partition, 2, 10, log_start_offset=4)
    assert leader_state.low_watermark() == 0
    del node.brokers[3]
    assert leader_state.low_watermark() == 4


def test_the_low_watermark_is_checked_only_for_waiting_deletions(
    partition: Partition, node: FakeNode
) -> None:
    """Without a waiting DeleteRecords it is not computed."""
    fetched(partition, 2, 10)
    fetched(partition, 3, 10)
    partition.delete_records(4)
    node.moved.clear()

    fetched(partition, 2, 10, log_start_offset=2)
    fetched(partition, 3, 10, log_start_offset=2)
    assert node.moved == []

    fetched(partition, 2, 10, log_start_offset=4, has_delayed_deletes=True)
    assert node.moved == []
    fetched(partition, 3, 10, log_start_offset=4, has_delayed_deletes=True)
    assert node.moved == [KEY]


# -------------------------------------------------------------------------------------- epochs


def test_a_new_leader_knows_nothing_of_its_followers(partition: Partition) -> None:
    """The high watermark waits until all members have fetched."""
    fetched(partition, 2, 10)
    leader_state = leader_state_of(partition)

    leader_state.begin(replace(leader_state.registration, leader_epoch=6), new_leader=True)

    assert leader_state.epoch_start_offset == 10
    assert leader_state.replicas[2].log_end_offset == UNKNOWN_OFFSET


def test_the_same_epoch_keeps_the_state_of_replicas(partition: Partition) -> None:
    """Kafka's testDoNotResetReplicaStateIfLeaderEpochIsNotBumped."""
    fetched(partition, 2, 10)
    leader_state = leader_state_of(partition)

    leader_state.begin(
        replace(leader_state.registration, isr=(1, 2), partition_epoch=1), new_leader=False
    )

    assert leader_state.epoch_start_offset == 0
    assert leader_state.replicas[2].log_end_offset == 10


def test_replicas_follow_the_registration(partition: Partition) -> None:
    """Remaining ones keep their state (Kafka's testReassignment...)."""
    fetched(partition, 2, 10)
    leader_state = leader_state_of(partition)

    leader_state.begin(
        replace(leader_state.registration, replicas=(1, 2, 4), isr=(1, 2), partition_epoch=1),
        new_leader=False,
    )

    assert {n: r.log_end_offset for n, r in leader_state.replicas.items()} == {2: 10, 4: -1}


# ------------------------------------------------------------------------------- eligible fetchers


def _refusal(partition: Partition, node_id: int, life: int, *, epoch: int = 5) -> ErrorCode:
    try:
        leader_state_of(partition).check_follower(node_id, life, epoch)
    except ApiError as refusal:
        return refusal.code
    return ErrorCode.NONE


def test_a_follower_of_an_earlier_broker_epoch_is_refused(partition: Partition) -> None:
    """Kafka's testFenceFollowerFetchWithStaleBrokerEpoch; -1 is a fetch without epoch."""
    assert _refusal(partition, 2, broker_epoch(2) - 1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
    assert _refusal(partition, 2, broker_epoch(2)) is ErrorCode.NONE
    assert _refusal(partition, 2, -1) is ErrorCode.NONE


def test_a_follower_of_a_later_broker_epoch_is_accepted(
    partition: Partition, node: FakeNode
) -> None:
    """It has restarted, and the leader's metadata is older."""
    assert _refusal(partition, 2, broker_epoch(2) + 1) is ErrorCode.NONE

    del node.brokers[2]
    assert _refusal(partition, 2, broker_epoch(2)) is ErrorCode.NONE


def test_a_node_that_is_not_a_replica_is_refused(partition: Partition) -> None:
    """Kafka's testFetchFromUnrecognizedFollower; with the present epoch it may be ahead."""
    assert _refusal(partition, 4, -1) is ErrorCode.UNKNOWN_LEADER_EPOCH
    assert _refusal(partition, 4, -1, epoch=-1) is ErrorCode.NOT_LEADER_OR_FOLLOWER
