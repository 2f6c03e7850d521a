"""Tests of the join operations, initial and later."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from purgatories.operations.delayed_join import DelayedJoin, InitialDelayedJoin
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock


class Group:
    def __init__(self) -> None:
        self.new_member_added = False
        self.join_key = "join of g"
        self.all_joined = False


class Coordinator:
    """Records the calls it gets, with their times."""

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.calls: list[tuple[str, float]] = []

    def try_complete_join(self, group: Group, force_complete: Callable[[], bool]) -> bool:
        return group.all_joined and force_complete()

    def on_complete_join(self, group: Group) -> None:
        self.calls.append(("complete", self.clock()))

    def on_expire_join(self) -> None:
        self.calls.append(("expire", self.clock()))


class Setting:
    def __init__(self) -> None:
        self.clock = ManualClock()
        self.timer = SystemTimer("Rebalance", now_ms=self.clock)
        self.purgatory = DelayedOperationPurgatory[Any]("Rebalance", self.timer)
        self.group = Group()
        self.coordinator = Coordinator(self.clock)

    def initial(self, delay_ms: float, rebalance_timeout_ms: float) -> None:
        remaining_ms = max(rebalance_timeout_ms - delay_ms, 0)
        operation = InitialDelayedJoin(
            self.coordinator, self.purgatory, self.group, delay_ms, delay_ms, remaining_ms
        )
        self.purgatory.try_complete_else_watch(operation, [self.group.join_key])


def test_join_completes_when_all_have_joined() -> None:
    """The last join completes the operation, which then does not expire."""
    s = Setting()
    operation = DelayedJoin(s.coordinator, s.group, 1000)
    assert not s.purgatory.try_complete_else_watch(operation, [s.group.join_key])
    s.group.all_joined = True
    assert s.purgatory.check_and_complete(s.group.join_key) == 1
    s.clock.advance_to(2000, s.timer)
    assert s.coordinator.calls == [("complete", 0)]


def test_join_completes_without_late_members() -> None:
    """At the timeout the operation completes, and then drains the action queue."""
    s = Setting()
    operation = DelayedJoin(s.coordinator, s.group, 1000)
    s.purgatory.try_complete_else_watch(operation, [s.group.join_key])
    s.clock.advance_to(2000, s.timer)
    assert s.coordinator.calls == [("complete", 1000), ("expire", 1000)]


def test_initial_join_is_never_completed_by_an_event() -> None:
    """An initial join keeps waiting even if all members have joined."""
    s = Setting()
    s.initial(300, 1000)
    s.group.all_joined = True
    assert s.purgatory.check_and_complete(s.group.join_key) == 0
    s.clock.advance_to(300, s.timer)
    assert s.coordinator.calls[0] == ("complete", 300)


def test_initial_join_waits_again_for_each_new_member() -> None:
    """An initial join waits again after each delay in which a member joined."""
    s = Setting()
    s.initial(300, 10_000)
    for until_ms in (200, 500):
        s.clock.advance_to(until_ms, s.timer)
        s.group.new_member_added = True
    s.clock.advance_to(899, s.timer)
    assert [event for event, _ in s.coordinator.calls if event == "complete"] == []
    s.clock.advance_to(900, s.timer)
    assert ("complete", 900) in s.coordinator.calls
    assert not s.group.new_member_added


def test_initial_join_waits_no_longer_than_the_rebalance_timeout() -> None:
    """The last delay is limited to what remains of the rebalance timeout."""
    s = Setting()
    s.initial(300, 700)
    for until_ms in (100, 350, 650):
        s.clock.advance_to(until_ms, s.timer)
        s.group.new_member_added = True
    s.clock.advance_to(2000, s.timer)
    assert [at for event, at in s.coordinator.calls if event == "complete"] == [700]


def test_only_an_initial_join_can_be_extended() -> None:
    """By what is left of the rebalance timeout after its delay."""
    s = Setting()
    s.initial(3000, 10_000)
    [initial] = s.purgatory.waiting_on(s.group.join_key)

    assert initial.longest_extension_ms == 7000
    assert DelayedJoin(s.coordinator, s.group, 10_000).longest_extension_ms == 0
