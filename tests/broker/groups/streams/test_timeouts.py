"""Timeouts of members, and the initial delay of groups."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.config import Config
from broker.config.groups import GroupConfigs
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.groups.member_timers import member_timeouts
from broker.groups.streams.current_assignment import CurrentAssignment, MemberState
from broker.groups.streams.member import StreamsGroupMember
from broker.groups.streams.timeouts import StreamsTimeouts
from broker.groups.time_limits import EXPIRATION_RETRY_BACKOFF_MS
from protocol.errors import ErrorCode
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.broker.groups.streams.world import StreamsWorld, active, owned
from tests.purgatories.manual_clock import ManualClock

SESSION_MS = 45_000
STABLE = StreamsGroupMember(
    member_id="a", rebalance_timeout_ms=5000, current=CurrentAssignment(member_epoch=3)
)
REVOKING = replace(
    STABLE, current=CurrentAssignment(member_epoch=3, state=MemberState.UNREVOKED_TASKS)
)
REMOVED = ["gone 22 a", "gone 21 a", "gone 19 a", "17"]


class Watch:
    """Timeouts on a manual clock; ``late`` are the removed members with time and reason.

    Members of the group g are in epoch 3, those of other groups are not.
    """

    def __init__(self) -> None:
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        self.timer = CoordinatorTimer(self._timer, ActionQueue())
        self.timeouts = StreamsTimeouts(
            self.timer,
            GroupConfigs(Config()),
            self._on_late,
            lambda group_id, _member_id, epoch: (group_id, epoch) == ("g", 3),
        )
        self.late: list[tuple[float, str, str]] = []

    def _on_late(self, _group_id: str, member_id: str, why: str) -> None:
        self.late.append((self._clock.now_ms, member_id, why))

    def pass_to(self, time_ms: float) -> None:
        self._clock.advance_to(time_ms, self._timer)


@pytest.fixture
def watch() -> Watch:
    return Watch()


def test_a_member_without_heartbeats_is_removed(watch: Watch) -> None:
    """After its session timeout."""
    watch.timeouts.reschedule_session("g", "a")
    watch.pass_to(SESSION_MS - 1)
    assert watch.late == []

    watch.pass_to(100_000)

    assert watch.late == [(SESSION_MS, "a", "its session expired")]


def test_a_heartbeat_restarts_the_session(watch: Watch) -> None:
    """The last one counts."""
    for time_ms in (0, 40_000, 80_000):
        watch.pass_to(time_ms)
        watch.timeouts.reschedule_session("g", "a")
    watch.pass_to(200_000)

    assert watch.late == [(80_000 + SESSION_MS, "a", "its session expired")]


def test_each_member_of_each_group_has_its_own_session(watch: Watch) -> None:
    """The same id in two groups is two members."""
    for group_id, member_id in (("g", "a"), ("h", "a"), ("g", "b")):
        watch.timeouts.reschedule_session(group_id, member_id)
    watch.timeouts.cancel_all("g", "a")
    watch.pass_to(100_000)

    assert len(watch.late) == 2


def test_a_member_that_does_not_revoke_in_time_is_removed(watch: Watch) -> None:
    """After its rebalance timeout."""
    watch.timeouts.update_rebalance_timeout("g", REVOKING)
    watch.pass_to(100_000)

    assert watch.late == [(5000, "a", "it did not leave epoch 3 in time")]


def test_a_member_in_another_state_or_epoch_is_not_removed(watch: Watch) -> None:
    """The timeout is cancelled, or has no effect."""
    watch.timeouts.update_rebalance_timeout("g", REVOKING)
    watch.timeouts.update_rebalance_timeout("g", STABLE)
    watch.timeouts.update_rebalance_timeout("h", REVOKING)
    watch.pass_to(100_000)

    assert watch.late == []


def test_a_removed_member_has_no_timeouts(watch: Watch) -> None:
    """Neither of the two."""
    watch.timeouts.reschedule_session("g", "a")
    watch.timeouts.update_rebalance_timeout("g", REVOKING)
    watch.timeouts.cancel_all("g", "a")
    watch.pass_to(100_000)

    assert watch.late == []


def test_a_refused_removal_is_retried_soon(watch: Watch) -> None:
    """Unless the member sends a heartbeat."""
    for member_id in "ab":
        watch.timeouts.retry_expiration("g", member_id, "its session expired")
    watch.timeouts.reschedule_session("g", "b")
    watch.pass_to(EXPIRATION_RETRY_BACKOFF_MS)

    assert watch.late == [(EXPIRATION_RETRY_BACKOFF_MS, "a", "its session expired")]


def test_timeouts_of_members_are_listed(watch: Watch) -> None:
    """With their duration and the time at which the member is removed; delays are not."""
    watch.pass_to(1000)
    watch.timeouts.reschedule_session("g", "a")
    watch.timeouts.update_rebalance_timeout("h", REVOKING)
    watch.timeouts.begin_initial_delay("g", lambda: None)

    assert list(member_timeouts(watch.timer)) == [
        ("g", "a", "session", SESSION_MS, 1000 + SESSION_MS),
        ("h", "a", "rebalance", 5000, 6000),
    ]


# --------------------------------------------------------------------------------- in a group


@pytest.fixture
def world() -> StreamsWorld:
    """A group in which a has all tasks and has to revoke two of them within a second."""
    world = StreamsWorld()
    world.join(rebalance_timeout_ms=1000)
    world.join("b")
    world.appended()
    return world


def test_the_end_of_a_session_removes_the_member(world: StreamsWorld) -> None:
    """The others get its tasks with their next heartbeats."""
    world.wait(40_000)
    world.beat("b")
    world.appended()

    world.wait(5000)

    assert world.appended() == REMOVED
    assert world.group.epoch == 4
    assert active(world.beat("b")) == {"0": [0, 1, 2, 3]}


def test_a_member_that_keeps_its_tasks_is_removed(world: StreamsWorld) -> None:
    """At the end of its rebalance timeout, whatever heartbeats it sends."""
    world.beat()
    world.appended()
    world.wait(999)
    world.beat(owned=owned({"0": [0, 1, 2, 3]}))
    assert world.appended() == []

    world.wait(1)

    assert world.appended() == REMOVED


def test_a_member_that_revokes_its_tasks_stays(world: StreamsWorld) -> None:
    """Its rebalance timeout is cancelled."""
    world.beat()
    world.beat(owned=owned({"0": [0, 1]}))

    assert [each.kind for each in world.coordinator.member_timeouts()] == ["session"] * 2
    world.wait(1000)
    assert "a" in world.group.members


def test_a_revocation_that_changes_begins_the_rebalance_timeout_again(
    world: StreamsWorld,
) -> None:
    """Each record of its assignment does."""
    world.beat()
    world.wait(900)
    world.join("c")
    world.join("d")
    world.beat(owned=owned({"0": [0, 1]}))
    assert world.member().current.state is MemberState.UNREVOKED_TASKS

    world.wait(900)
    assert "a" in world.group.members
    world.wait(100)
    assert "a" not in world.group.members


def test_a_removal_that_the_log_refuses_is_retried(world: StreamsWorld) -> None:
    """After a pause."""
    world.refuse(ErrorCode.NOT_ENOUGH_REPLICAS)
    world.wait(SESSION_MS)
    assert len(world.group.members) == 2
    world.refuse(None)

    world.wait(EXPIRATION_RETRY_BACKOFF_MS)

    assert world.group.is_empty


def test_a_member_that_has_left_has_no_session(world: StreamsWorld) -> None:
    """A later member of the same id begins its own."""
    world.wait(40_000)
    world.leave()
    world.join()

    world.wait(44_000)

    assert "a" in world.group.members


def test_a_group_has_its_own_session_timeout(world: StreamsWorld) -> None:
    """It applies from the next heartbeat."""
    world.configure_group(streams_session_timeout_ms="46000")
    world.beat("b")

    world.wait(SESSION_MS)

    assert list(world.group.members) == ["b"]


def test_a_group_has_its_own_heartbeat_interval(world: StreamsWorld) -> None:
    """The response has it."""
    world.configure_group(streams_heartbeat_interval_ms="7000")

    assert world.beat().heartbeat_interval_ms == 7000


def test_a_loaded_group_has_new_sessions(world: StreamsWorld) -> None:
    """And rebalance timeouts of the members that have to revoke tasks."""
    world.beat()
    world.wait(900)
    world.restart()

    kinds = sorted((each.member_id, each.kind) for each in world.coordinator.member_timeouts())

    assert kinds == [("a", "rebalance"), ("a", "session"), ("b", "session")]
    world.wait(999)
    assert "a" in world.group.members
    world.wait(1)
    assert list(world.group.members) == ["b"]
    world.wait(44_000)
    assert world.group.is_empty


def test_a_loaded_group_writes_nothing(world: StreamsWorld) -> None:
    """Its members send heartbeats as before."""
    world.beat(owned=owned({"0": [0, 1]}))
    world.beat("b")
    world.restart()
    world.appended()

    assert world.beat().assigned is None
    assert world.beat("b").assigned is None
    assert world.appended() == []


def test_an_unloaded_group_has_no_timeouts(world: StreamsWorld) -> None:
    """Neither sessions nor rebalance timeouts."""
    world.beat()
    for partition in range(len(world.logs)):
        world.coordinator.runtime.on_resignation(partition)

    assert list(world.coordinator.member_timeouts()) == []
