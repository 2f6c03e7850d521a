"""How the ISR expands and shrinks (mirrors PartitionTest and IsrExpirationTest)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from broker.replication.isr_state import IsrState
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from tests.broker.replication.world import (
    KEY,
    LAG_MAX_MS,
    FakeNode,
    append,
    broker_epoch,
    fetched,
    leader_state_of,
    make_follower,
    make_partition,
)

ALL = (1, 2, 3)


@pytest.fixture
def node() -> FakeNode:
    """Node 1, which leads."""
    return FakeNode()


def _led(folder: Path, node: FakeNode, *isr: int) -> Partition:
    """Ten records of epoch 4, then epoch 5 begins."""
    partition = make_partition(folder, node=node, isr=isr, replicas=ALL, leader_epoch=4)
    append(partition, 10)
    leader_state = leader_state_of(partition)
    leader_state.begin(
        replace(leader_state.registration, leader_epoch=5, partition_epoch=1), new_leader=True
    )
    return partition


# --------------------------------------------------------------------------------------- expand


def test_a_follower_joins_at_the_start_of_the_epoch(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testFollowerDoesNotJoinISRUntilCaughtUpToOffsetWithinCurrentLeaderEpoch.

    The high watermark of a new leader may be far behind, so reaching it is not enough.
    """
    partition = _led(tmp_path, node, 1, 2)
    assert partition.log.high_watermark == 0

    fetched(partition, 3, 9)
    assert node.requested_isrs == []

    fetched(partition, 3, 10)
    assert node.requested_isrs == [(1, 2, 3)]


def test_a_follower_joins_at_the_high_watermark(tmp_path: Path, node: FakeNode) -> None:
    """It need not reach the log end."""
    partition = _led(tmp_path, node, 1, 2)
    append(partition, 10)
    fetched(partition, 2, 15)
    assert partition.log.high_watermark == 15

    fetched(partition, 3, 14)
    assert node.requested_isrs == []

    fetched(partition, 3, 15)
    assert node.requested_isrs == [(1, 2, 3)]


def test_an_isr_change_has_the_set_and_the_epochs(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testIsrExpansion: the epochs identify an outdated request."""
    partition = _led(tmp_path, node, 1)
    fetched(partition, 2, 10)

    [change] = node.changes

    assert (change.key, change.topic_id) == (KEY, partition.topic_id)
    assert (change.node_id, change.broker_epoch) == (1, broker_epoch(1))
    assert (change.leader_epoch, change.partition_epoch) == (5, 1)
    assert change.new_isr == (1, 2)
    assert change.new_isr_epochs == (broker_epoch(1), broker_epoch(2))


def test_an_isr_change_has_the_broker_epochs_of_the_members(tmp_path: Path, node: FakeNode) -> None:
    """KIP-903: -1 for a member that has not fetched from this leader yet."""
    partition = _led(tmp_path, node, 1, 2)
    fetched(partition, 3, 10)

    assert node.changes[0].new_isr == (1, 2, 3)
    assert node.changes[0].new_isr_epochs == (broker_epoch(1), -1, broker_epoch(3))


def test_one_isr_change_is_pending_at_a_time(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testSingleInFlightAlterIsr: no follower joins or leaves while a change is pending."""
    partition = _led(tmp_path, node, 1)
    fetched(partition, 2, 10)
    fetched(partition, 3, 10)
    fetched(partition, 2, 10)
    node.time_ms += LAG_MAX_MS + 1
    leader_state_of(partition).maybe_shrink_isr()
    assert node.requested_isrs == [(1, 2)]

    agreed = node.agree(partition)
    fetched(partition, 3, 10)

    assert node.requested_isrs == [(1, 2), (1, 2, 3)]
    assert node.changes[-1].partition_epoch == agreed.partition_epoch == 2


@pytest.mark.parametrize("epoch", [None, 1], ids=["fenced", "a former life"])
def test_only_live_followers_join(tmp_path: Path, node: FakeNode, epoch: int | None) -> None:
    """Kafka's testIsrNotExpandedIfReplicaIsFencedOrShutdown, ...BrokerEpochsMatch (KIP-903)."""
    partition = _led(tmp_path, node, 1, 2)
    if epoch is None:
        del node.brokers[3]

    fetched(partition, 3, 10, epoch=epoch)

    assert node.requested_isrs == []


def test_a_follower_without_broker_epoch_may_join(tmp_path: Path, node: FakeNode) -> None:
    """-1 is a fetch older than v15 (Kafka's testIsrCanExpandedIfBrokerEpochsMatch...)."""
    partition = _led(tmp_path, node, 1, 2)

    fetched(partition, 3, 10, epoch=-1)

    assert node.requested_isrs == [(1, 2, 3)]


def test_members_do_not_join_again(tmp_path: Path, node: FakeNode) -> None:
    """A member of the maximal ISR is not added."""
    partition = _led(tmp_path, node, *ALL)

    fetched(partition, 2, 10)
    fetched(partition, 3, 10)

    assert node.requested_isrs == []


# --------------------------------------------------------------------------------------- shrink


def test_a_lagging_follower_is_removed(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testMaybeShrinkIsr and IsrExpirationTest.testIsrExpirationForSlowFollowers.

    Until the controller has agreed, the high watermark waits for it.
    """
    partition = _led(tmp_path, node, *ALL)
    leader_state = leader_state_of(partition)
    fetched(partition, 2, 10)
    fetched(partition, 3, 10)
    append(partition, 5)
    fetched(partition, 2, 15)
    node.time_ms += LAG_MAX_MS + 1

    leader_state.maybe_shrink_isr()
    assert node.requested_isrs == [(1, 2)]
    assert leader_state.isr.maximal == ALL
    assert partition.log.high_watermark == 10

    node.agree(partition)
    assert leader_state.isr == IsrState.of((1, 2))
    assert partition.log.high_watermark == 15
    assert node.moved[-1] == KEY


def test_all_lagging_followers_are_removed_together(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's IsrExpirationTest.testIsrExpirationIfNoFetchRequestMade: the leader remains."""
    partition = _led(tmp_path, node, *ALL)
    node.time_ms += LAG_MAX_MS + 1

    leader_state_of(partition).maybe_shrink_isr()

    assert node.requested_isrs == [(1,)]


def test_the_lag_of_followers_counts_from_the_start_of_the_epoch(
    tmp_path: Path, node: FakeNode
) -> None:
    """Kafka's IsrExpirationTest.testIsrExpirationForStuckFollowers."""
    partition = _led(tmp_path, node, *ALL)
    node.time_ms += LAG_MAX_MS

    leader_state_of(partition).maybe_shrink_isr()

    assert node.requested_isrs == []


def test_a_follower_that_fetches_continuously_stays(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testShouldNotShrinkIsrIfPreviousFetchIsCaughtUp: the log grows faster than it."""
    partition = _led(tmp_path, node, 1, 2)
    fetched(partition, 2, 10)
    append(partition, 10)
    node.time_ms += LAG_MAX_MS
    fetched(partition, 2, 15)
    append(partition, 10)
    node.time_ms += 1

    leader_state_of(partition).maybe_shrink_isr()
    assert node.requested_isrs == [(1,)]
    node.refuse(ErrorCode.INELIGIBLE_REPLICA)

    fetched(partition, 2, 20)
    leader_state_of(partition).maybe_shrink_isr()
    assert node.requested_isrs == [(1,)]


def test_a_follower_at_the_log_end_stays(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testShouldNotShrinkIsrIfFollowerCaughtUpToLogEnd: 30 001 ms idle, at the log end."""
    partition = _led(tmp_path, node, 1, 2)
    fetched(partition, 2, 10)
    node.time_ms += LAG_MAX_MS + 1

    leader_state_of(partition).maybe_shrink_isr()

    assert node.requested_isrs == []


# ------------------------------------------------------------------------------------- responses


@pytest.mark.parametrize("error", [ErrorCode.INELIGIBLE_REPLICA, ErrorCode.OPERATION_NOT_ATTEMPTED])
def test_a_refused_change_is_submitted_again_later(
    tmp_path: Path, node: FakeNode, error: ErrorCode
) -> None:
    """Kafka's testIsrNotExpandedIfUpdateFails, testRetryShrinkIsr: at the next fetch or check."""
    partition = _led(tmp_path, node, 1)
    fetched(partition, 2, 10)

    node.refuse(error)
    assert leader_state_of(partition).isr == IsrState.of((1,))

    fetched(partition, 2, 10)
    assert node.requested_isrs == [(1, 2), (1, 2)]


@pytest.mark.parametrize(
    "error",
    [
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
        ErrorCode.UNKNOWN_TOPIC_ID,
        ErrorCode.FENCED_LEADER_EPOCH,
        ErrorCode.INVALID_UPDATE_VERSION,
        ErrorCode.INVALID_REQUEST,
        ErrorCode.NEW_LEADER_ELECTED,
    ],
)
def test_a_change_against_newer_metadata_stays_pending(
    tmp_path: Path, node: FakeNode, error: ErrorCode
) -> None:
    """Kafka's testAlterIsrInvalidVersion, ...UnknownTopic, ...NewLeaderElected."""
    partition = _led(tmp_path, node, 1)
    leader_state = leader_state_of(partition)
    fetched(partition, 2, 10)

    node.refuse(error)
    fetched(partition, 2, 10)
    assert leader_state.isr.maximal == (1, 2)
    assert node.requested_isrs == [(1, 2)]

    leader_state.begin(
        replace(leader_state.registration, isr=(1, 3), partition_epoch=2), new_leader=False
    )
    assert leader_state.isr == IsrState.of((1, 3))


def test_a_change_with_unknown_outcome_is_submitted_again(tmp_path: Path, node: FakeNode) -> None:
    """Kafka's testAlterIsrUnexpectedError: the newcomer counts as in sync, since it may be.

    The same change is proposed at the next fetch or periodic check.
    """
    partition = _led(tmp_path, node, 1)
    leader_state = leader_state_of(partition)
    fetched(partition, 2, 10)

    node.refuse(ErrorCode.UNKNOWN_SERVER_ERROR)
    assert leader_state.isr.maximal == (1, 2)
    append(partition)
    assert partition.log.high_watermark == 10

    fetched(partition, 3, 10)
    assert node.requested_isrs == [(1, 2), (1, 2)]
    node.refuse(ErrorCode.REQUEST_TIMED_OUT)
    leader_state.maybe_shrink_isr()
    assert node.requested_isrs == [(1, 2)] * 3

    node.agree(partition)
    assert leader_state.isr == IsrState.of((1, 2))


def test_a_response_of_another_epoch_waits_for_metadata(tmp_path: Path, node: FakeNode) -> None:
    """The change completed a reassignment that removes a replica and starts a leader epoch.

    A leader starts an epoch only with the metadata of it.
    """
    partition = _led(tmp_path, node, 1, 2)
    leader_state = leader_state_of(partition)
    fetched(partition, 3, 10)

    node.agree(partition, leader_epoch=6, isr=(1, 3), replicas=(1, 3))

    assert (partition.leader_epoch, leader_state.isr.maximal) == (5, (1, 2, 3))
    assert sorted(leader_state.replicas) == [2, 3]


def test_metadata_takes_precedence_over_a_late_response(tmp_path: Path, node: FakeNode) -> None:
    """Metadata that arrived after the request is newer than its response."""
    partition = _led(tmp_path, node, 1)
    leader_state = leader_state_of(partition)
    fetched(partition, 2, 10)
    leader_state.begin(
        replace(leader_state.registration, isr=(1, 3), partition_epoch=7), new_leader=False
    )

    node.agree(partition)

    assert leader_state.isr == IsrState.of((1, 3))
    assert leader_state.registration.partition_epoch == 7


def test_an_expansion_that_ends_the_leadership_moves_nothing(
    tmp_path: Path, node: FakeNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The expansion completes a reassignment within the follower's fetch; another node leads."""
    partition = make_partition(tmp_path, node=node, isr=(1, 2), replicas=ALL)
    append(partition, 10)
    third = node.brokers.pop(3)
    fetched(partition, 3, 10)  # too early to join: it is fenced
    node.brokers[3] = third
    append(partition, 10)
    fetched(partition, 2, 20)
    assert partition.log.high_watermark == 10
    node.moved.clear()
    monkeypatch.setattr(
        node, "alter_partition", lambda change, on_response: make_follower(partition)
    )

    fetched(partition, 3, 15)

    assert not partition.is_leader
    assert partition.log.high_watermark == 10
    assert node.moved == []
