"""Timeouts of members (the timer tests of ``GroupMetadataManagerTest``)."""

from __future__ import annotations

import pytest

from broker.config import Config
from broker.config.groups import GroupConfigs
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.consumer.member import ConsumerGroupMember
from broker.groups.consumer.timeouts import Timeouts
from broker.groups.member_timers import member_timeouts
from broker.groups.time_limits import EXPIRATION_RETRY_BACKOFF_MS
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.broker.groups.consumer.books import classic, member, revoking
from tests.purgatories.manual_clock import ManualClock

SESSION_MS = 45_000
CLASSIC_SESSION_MS = 10_000
A = member("a", "t", member_epoch=3)
CLASSIC = member("a", "t", classic=classic("t"), rebalance_timeout_ms=5000)
REVOKING = revoking("a", member_epoch=3, rebalance_timeout_ms=5000)


class Watch:
    """Timeouts on a manual clock; ``late`` are the removed members with time and reason."""

    def __init__(self) -> None:
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        self.timer = CoordinatorTimer(self._timer, ActionQueue())
        self.timeouts = Timeouts(self.timer, GroupConfigs(Config()), self._on_late)
        self.late: list[tuple[float, str, str]] = []

    def _on_late(self, _group_id: str, member_id: str, why: str) -> None:
        self.late.append((self._clock.now_ms, member_id, why))

    def pass_to(self, time_ms: float) -> None:
        self._clock.advance_to(time_ms, self._timer)


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.mark.parametrize(("each", "session_ms"), [(A, SESSION_MS), (CLASSIC, CLASSIC_SESSION_MS)])
def test_a_member_without_heartbeats_is_removed(
    watch: Watch, each: ConsumerGroupMember, session_ms: int
) -> None:
    """Mirrors testSessionTimeoutExpiration; classic members have their own session timeout."""
    watch.timeouts.reschedule_session("g", each)
    watch.pass_to(session_ms - 1)
    assert watch.late == []

    watch.pass_to(100_000)

    assert watch.late == [(session_ms, "a", "its session expired")]


def test_a_heartbeat_restarts_the_session(watch: Watch) -> None:
    """Mirrors testSessionTimeoutLifecycle."""
    for time_ms in (0, 40_000, 80_000):
        watch.pass_to(time_ms)
        watch.timeouts.reschedule_session("g", A)
    watch.pass_to(200_000)

    assert watch.late == [(80_000 + SESSION_MS, "a", "its session expired")]


def test_each_member_of_each_group_has_its_own_session(watch: Watch) -> None:
    """The same id in two groups is two members."""
    watch.timeouts.reschedule_session("g", A)
    watch.timeouts.reschedule_session("h", A)
    watch.timeouts.cancel_all("g", "a")
    watch.pass_to(100_000)

    assert len(watch.late) == 1


def test_a_member_that_does_not_revoke_in_time_is_removed(watch: Watch) -> None:
    """Mirrors testRebalanceTimeoutExpiration."""
    watch.timeouts.update_rebalance_timeout("g", REVOKING, lambda _: True)
    watch.pass_to(100_000)

    assert watch.late == [(5000, "a", "it did not leave epoch 3 in time")]


def test_a_member_in_another_epoch_is_not_removed(watch: Watch) -> None:
    """Mirrors testRebalanceTimeoutLifecycle: the timeout is cancelled or has no effect."""
    watch.timeouts.update_rebalance_timeout("g", REVOKING, lambda _: True)
    watch.timeouts.update_rebalance_timeout("g", A, lambda _: True)
    watch.timeouts.update_rebalance_timeout("h", REVOKING, lambda _: False)
    watch.pass_to(100_000)

    assert watch.late == []


def test_classic_members_have_no_rebalance_timeout(watch: Watch) -> None:
    """They have a join timeout."""
    watch.timeouts.update_rebalance_timeout(
        "g", revoking("a", classic=classic("t"), rebalance_timeout_ms=5000), lambda _: True
    )
    watch.pass_to(100_000)

    assert watch.late == []


def test_a_classic_member_must_join_within_the_rebalance_timeout(watch: Watch) -> None:
    """Another REBALANCE_IN_PROGRESS response does not extend the time."""
    watch.timeouts.schedule_join("g", CLASSIC)
    watch.pass_to(3000)
    watch.timeouts.schedule_join("g", CLASSIC)
    watch.pass_to(100_000)

    assert watch.late == [(5000, "a", "it did not join in time")]


def test_a_classic_member_that_has_joined_must_sync(watch: Watch) -> None:
    """The join timeout is cancelled."""
    watch.timeouts.schedule_join("g", CLASSIC)
    watch.pass_to(4000)
    watch.timeouts.on_joined("g", CLASSIC)
    watch.pass_to(9000)

    assert watch.late == [(9000, "a", "it did not sync in time")]


def test_a_classic_member_that_has_synced_has_only_a_session(watch: Watch) -> None:
    """It was restarted by each request."""
    watch.timeouts.on_joined("g", CLASSIC)
    watch.pass_to(4000)
    watch.timeouts.on_synced("g", CLASSIC)
    watch.pass_to(100_000)

    assert watch.late == [(4000 + CLASSIC_SESSION_MS, "a", "its session expired")]


def test_a_removed_member_has_no_timeouts(watch: Watch) -> None:
    """None of the four."""
    watch.timeouts.reschedule_session("g", A)
    watch.timeouts.update_rebalance_timeout("g", REVOKING, lambda _: True)
    watch.timeouts.schedule_join("g", CLASSIC)
    watch.timeouts.on_joined("g", CLASSIC)
    watch.timeouts.schedule_join("g", CLASSIC)
    watch.timeouts.cancel_all("g", "a")
    watch.pass_to(100_000)

    assert watch.late == []


def test_a_refused_removal_is_retried_soon(watch: Watch) -> None:
    """Unless the member sends a heartbeat."""
    watch.timeouts.retry_expiration("g", "a", "its session expired")
    watch.timeouts.retry_expiration("g", "b", "its session expired")
    watch.timeouts.reschedule_session("g", member("b"))
    watch.pass_to(EXPIRATION_RETRY_BACKOFF_MS)

    assert watch.late == [(EXPIRATION_RETRY_BACKOFF_MS, "a", "its session expired")]


def test_timeouts_are_listed_by_kind(watch: Watch) -> None:
    """With their duration and the time at which the member is removed."""
    watch.pass_to(1000)
    watch.timeouts.reschedule_session("g", A)
    watch.timeouts.update_rebalance_timeout("h", REVOKING, lambda _member: True)

    assert list(member_timeouts(watch.timer)) == [
        ("g", "a", "session", SESSION_MS, 1000 + SESSION_MS),
        ("h", "a", "rebalance", 5000, 6000),
    ]
