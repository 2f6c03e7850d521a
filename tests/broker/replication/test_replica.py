"""A follower's state on its leader (mirrors Kafka's ReplicaTest)."""

from __future__ import annotations

from broker.replication.replica import UNKNOWN_OFFSET, Replica
from broker.storage.segments.offset_metadata import LogOffsetMetadata

LAG_MAX_MS = 100


def _fetched(replica: Replica, offset: int, *, leader_end: int, at_ms: float) -> None:
    replica.update_fetch_state(LogOffsetMetadata(offset, 0, 0), 0, leader_end, at_ms, 7)


def test_nothing_is_known_of_a_follower_that_has_not_fetched() -> None:
    """It has no offset and no time, so it is not caught up (ReplicaTest.testInitialState)."""
    replica = Replica(2)

    assert (replica.log_end_offset, replica.log_start_offset) == (UNKNOWN_OFFSET, UNKNOWN_OFFSET)
    assert replica.broker_epoch is None
    assert not replica.is_caught_up(10, 0, LAG_MAX_MS)


def test_a_fetch_updates_the_state() -> None:
    """Offsets and the broker epoch (ReplicaTest.testUpdateFetchState)."""
    replica = Replica(2)

    replica.update_fetch_state(LogOffsetMetadata(5, 0, 50), 3, 10, 1000, 7)

    assert (replica.log_end_offset, replica.log_start_offset) == (5, 3)
    assert replica.last_fetch_leader_log_end_offset == 10
    assert replica.broker_epoch == 7


def test_a_fetch_at_the_leaders_end_is_caught_up_now() -> None:
    """The third fetch of Kafka's testUpdateFetchState."""
    replica = Replica(2)

    _fetched(replica, 10, leader_end=10, at_ms=1000)

    assert replica.last_caught_up_time_ms == 1000


def test_a_fetch_at_the_leaders_previous_end_was_caught_up_then() -> None:
    """The second fetch of Kafka's testUpdateFetchState: the log has grown meanwhile."""
    replica = Replica(2)
    _fetched(replica, 5, leader_end=10, at_ms=1000)

    _fetched(replica, 10, leader_end=20, at_ms=2000)

    assert replica.last_caught_up_time_ms == 1000


def test_a_fetch_below_both_ends_does_not_catch_up() -> None:
    """The caught-up time does not change (testUpdateFetchState)."""
    replica = Replica(2)
    _fetched(replica, 10, leader_end=10, at_ms=1000)
    _fetched(replica, 10, leader_end=20, at_ms=2000)

    _fetched(replica, 15, leader_end=30, at_ms=3000)

    assert replica.last_caught_up_time_ms == 1000


def test_a_follower_at_the_log_end_never_lags() -> None:
    """Kafka's testIsCaughtUpWhenReplicaIsCaughtUpToLogEnd: regardless of its last fetch."""
    replica = Replica(2)
    _fetched(replica, 10, leader_end=10, at_ms=0)

    assert replica.is_caught_up(10, 10 * LAG_MAX_MS, LAG_MAX_MS)


def test_a_follower_below_the_log_end_lags_after_the_maximum_time() -> None:
    """Kafka's testIsCaughtUpWhenReplicaIsNotCaughtUpToLogEnd."""
    replica = Replica(2)
    _fetched(replica, 10, leader_end=10, at_ms=1000)

    assert replica.is_caught_up(11, 1000 + LAG_MAX_MS, LAG_MAX_MS)
    assert not replica.is_caught_up(11, 1001 + LAG_MAX_MS, LAG_MAX_MS)


def test_a_new_leader_knows_nothing_of_its_followers() -> None:
    """Kafka's testResetReplicaStateWhenNewLeaderIsElected...: only members count as caught up."""
    member, other = Replica(2), Replica(3)
    for replica in (member, other):
        _fetched(replica, 10, leader_end=10, at_ms=1000)
        replica.reset(new_leader=True, in_sync=replica is member, leader_end=20, now_ms=5000)

    assert [r.log_end_offset for r in (member, other)] == [UNKNOWN_OFFSET, UNKNOWN_OFFSET]
    assert [r.broker_epoch for r in (member, other)] == [None, None]
    assert member.is_caught_up(20, 5000 + LAG_MAX_MS, LAG_MAX_MS)
    assert not other.is_caught_up(20, 5000, LAG_MAX_MS)


def test_a_reelected_leader_keeps_the_offsets() -> None:
    """Kafka's testResetReplicaStateWhenLeaderIsReelected...: the times are reset."""
    member, other = Replica(2), Replica(3)
    for replica in (member, other):
        _fetched(replica, 10, leader_end=10, at_ms=1000)
        replica.reset(new_leader=False, in_sync=replica is member, leader_end=20, now_ms=5000)

    assert [r.log_end_offset for r in (member, other)] == [10, 10]
    assert [r.broker_epoch for r in (member, other)] == [7, 7]
    assert member.is_caught_up(20, 5000 + LAG_MAX_MS, LAG_MAX_MS)
    assert not other.is_caught_up(20, 5000, LAG_MAX_MS)


def test_after_a_reset_the_log_end_of_that_time_counts() -> None:
    """A fetch at the log end of the epoch's start proves that it was caught up then."""
    replica = Replica(2)
    replica.reset(new_leader=False, in_sync=True, leader_end=20, now_ms=5000)

    _fetched(replica, 20, leader_end=30, at_ms=6000)

    assert replica.last_caught_up_time_ms == 5000
