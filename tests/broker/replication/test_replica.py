"""A follower as its leader knows it (mirrors Kafka's ReplicaTest)."""

from __future__ import annotations

from broker.replication.replica import UNKNOWN_OFFSET, Replica
from broker.storage.offset_metadata import LogOffsetMetadata

LAG_MAX_MS = 100


def _fetched(replica: Replica, offset: int, *, leader_end: int, at_ms: float) -> None:
    replica.update_fetch_state(LogOffsetMetadata(offset, 0, 0), 0, leader_end, at_ms, 7)


def test_nothing_is_known_of_a_follower_that_has_not_fetched() -> None:
    """Neither an offset nor a time, and so it is not caught up (ReplicaTest.testInitialState)."""
    replica = Replica(2)

    assert (replica.log_end_offset, replica.log_start_offset) == (UNKNOWN_OFFSET, UNKNOWN_OFFSET)
    assert replica.broker_epoch is None
    assert not replica.is_caught_up(10, 0, LAG_MAX_MS)


def test_a_fetch_tells_where_the_follower_is() -> None:
    """Offsets, the time and the life it is in (ReplicaTest.testUpdateFetchState)."""
    replica = Replica(2)

    replica.update_fetch_state(LogOffsetMetadata(5, 0, 50), 3, 10, 1000, 7)

    assert (replica.log_end_offset, replica.log_start_offset) == (5, 3)
    assert (replica.last_fetch_leader_log_end_offset, replica.last_fetch_time_ms) == (10, 1000)
    assert replica.broker_epoch == 7


def test_a_fetch_at_the_leaders_end_is_caught_up_now() -> None:
    """The third fetch of Kafka's testUpdateFetchState."""
    replica = Replica(2)

    _fetched(replica, 10, leader_end=10, at_ms=1000)

    assert replica.last_caught_up_time_ms == 1000


def test_a_fetch_where_the_leader_ended_before_was_caught_up_then() -> None:
    """The second fetch of Kafka's testUpdateFetchState: the log may grow meanwhile."""
    replica = Replica(2)
    _fetched(replica, 5, leader_end=10, at_ms=1000)

    _fetched(replica, 10, leader_end=20, at_ms=2000)

    assert replica.last_caught_up_time_ms == 1000


def test_a_fetch_behind_both_ends_proves_nothing() -> None:
    """It goes on from where it was, but has not been at an end since (testUpdateFetchState)."""
    replica = Replica(2)
    _fetched(replica, 10, leader_end=10, at_ms=1000)
    _fetched(replica, 10, leader_end=20, at_ms=2000)

    _fetched(replica, 15, leader_end=30, at_ms=3000)

    assert replica.last_caught_up_time_ms == 1000


def test_who_has_everything_never_lags() -> None:
    """Kafka's testIsCaughtUpWhenReplicaIsCaughtUpToLogEnd: however long ago it fetched."""
    replica = Replica(2)
    _fetched(replica, 10, leader_end=10, at_ms=0)

    assert replica.is_caught_up(10, 10 * LAG_MAX_MS, LAG_MAX_MS)


def test_who_is_behind_has_so_much_time_and_not_more() -> None:
    """Kafka's testIsCaughtUpWhenReplicaIsNotCaughtUpToLogEnd."""
    replica = Replica(2)
    _fetched(replica, 10, leader_end=10, at_ms=1000)

    assert replica.is_caught_up(11, 1000 + LAG_MAX_MS, LAG_MAX_MS)
    assert not replica.is_caught_up(11, 1001 + LAG_MAX_MS, LAG_MAX_MS)


def test_a_new_leader_knows_nothing_of_its_followers() -> None:
    """Kafka's testResetReplicaStateWhenNewLeaderIsElected...: only members get time to fetch."""
    member, other = Replica(2), Replica(3)
    for replica in (member, other):
        _fetched(replica, 10, leader_end=10, at_ms=1000)
        replica.reset(new_leader=True, in_sync=replica is member, leader_end=20, now_ms=5000)

    assert [r.log_end_offset for r in (member, other)] == [UNKNOWN_OFFSET, UNKNOWN_OFFSET]
    assert [r.broker_epoch for r in (member, other)] == [None, None]
    assert member.is_caught_up(20, 5000 + LAG_MAX_MS, LAG_MAX_MS)
    assert not other.is_caught_up(20, 5000, LAG_MAX_MS)


def test_a_leader_that_stays_keeps_what_it_knows() -> None:
    """Kafka's testResetReplicaStateWhenLeaderIsReelected...: offsets stay, times begin anew."""
    member, other = Replica(2), Replica(3)
    for replica in (member, other):
        _fetched(replica, 10, leader_end=10, at_ms=1000)
        replica.reset(new_leader=False, in_sync=replica is member, leader_end=20, now_ms=5000)

    assert [r.log_end_offset for r in (member, other)] == [10, 10]
    assert [r.broker_epoch for r in (member, other)] == [7, 7]
    assert member.is_caught_up(20, 5000 + LAG_MAX_MS, LAG_MAX_MS)
    assert not other.is_caught_up(20, 5000, LAG_MAX_MS)


def test_after_a_reset_the_credit_is_for_the_end_at_that_time() -> None:
    """A fetch at the log end of the epoch's begin proves that it was caught up when it began."""
    replica = Replica(2)
    replica.reset(new_leader=False, in_sync=True, leader_end=20, now_ms=5000)

    _fetched(replica, 20, leader_end=30, at_ms=6000)

    assert replica.last_caught_up_time_ms == 5000
