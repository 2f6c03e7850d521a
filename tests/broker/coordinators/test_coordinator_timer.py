"""Timeouts with a key (mirrors ``CoordinatorTimerImplTest``)."""

from __future__ import annotations

import pytest

from broker.coordinators.coordinator_timer import RETRY_BACKOFF_MS, CoordinatorTimer
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock


class Timers:
    """A coordinator's timer on a manual clock; ``done`` are the actions that have run."""

    def __init__(self) -> None:
        self._clock = ManualClock()
        self._timer = SystemTimer("test", now_ms=self._clock)
        self.timer = CoordinatorTimer(self._timer, ActionQueue())
        self.done: list[str] = []

    def schedule(self, key: str, delay_ms: float, what: str) -> None:
        self.timer.schedule(key, delay_ms, lambda: self.done.append(what))

    def pass_to(self, time_ms: float) -> None:
        self._clock.advance_to(time_ms, self._timer)


@pytest.fixture
def timers() -> Timers:
    return Timers()


def test_an_action_runs_once(timers: Timers) -> None:
    """Not before its delay has passed, and not again."""
    timers.schedule("k", 100, "it")
    timers.pass_to(99)
    assert (timers.done, timers.timer.is_scheduled("k")) == ([], True)

    timers.pass_to(1000)

    assert (timers.done, timers.timer.is_scheduled("k")) == (["it"], False)


def test_scheduling_a_key_again_replaces_its_timeout(timers: Timers) -> None:
    """Whether the new deadline is later or earlier."""
    timers.schedule("later", 100, "first")
    timers.schedule("later", 300, "second")
    timers.schedule("sooner", 300, "third")
    timers.schedule("sooner", 100, "fourth")

    timers.pass_to(200)
    assert timers.done == ["fourth"]
    timers.pass_to(1000)
    assert timers.done == ["fourth", "second"]


def test_schedule_if_absent_does_not_replace_a_timeout(timers: Timers) -> None:
    """``scheduleIfAbsent``."""
    timers.schedule("k", 100, "first")
    timers.timer.schedule_if_absent("k", 50, lambda: timers.done.append("second"))
    timers.timer.schedule_if_absent("other", 50, lambda: timers.done.append("third"))
    timers.pass_to(1000)

    assert timers.done == ["third", "first"]


def test_a_cancelled_action_does_not_run(timers: Timers) -> None:
    """Cancelling again, or a key without a timeout, has no effect."""
    timers.schedule("k", 100, "it")
    for key in ("k", "k", "nothing"):
        timers.timer.cancel(key)
    timers.pass_to(1000)

    assert timers.done == []


def test_a_due_action_can_be_cancelled_by_another(timers: Timers) -> None:
    """The timer has taken out both tasks when the first of them runs."""
    timers.timer.schedule("a", 100, lambda: timers.timer.cancel("b"))
    timers.schedule("b", 100, "b")
    timers.pass_to(1000)

    assert timers.done == []


def test_an_action_may_schedule_its_own_key(timers: Timers) -> None:
    """The new timeout is not lost when the action returns."""
    timers.timer.schedule("k", 100, lambda: timers.schedule("k", 100, "again"))
    timers.pass_to(1000)

    assert timers.done == ["again"]


def test_an_action_that_raises_is_retried(timers: Timers, caplog: pytest.LogCaptureFixture) -> None:
    """Until it succeeds, so that a member whose session has expired does not stay forever."""
    tries = []

    def act() -> None:
        tries.append("try")
        if len(tries) < 3:
            raise ZeroDivisionError

    timers.timer.schedule("k", 100, act)
    timers.pass_to(100 + RETRY_BACKOFF_MS - 1)
    assert (len(tries), timers.timer.is_scheduled("k")) == (1, True)
    timers.pass_to(10_000)

    assert (len(tries), timers.timer.is_scheduled("k")) == (3, False)
    assert len(caplog.records) == 2


def test_an_action_that_raises_may_have_scheduled_its_key(timers: Timers) -> None:
    """The retry does not replace that timeout."""

    def act() -> None:
        timers.schedule("k", 100, "other")
        raise ZeroDivisionError

    timers.timer.schedule("k", 100, act)
    timers.pass_to(10_000)

    assert timers.done == ["other"]


def test_the_queued_actions_run_after_a_timeout() -> None:
    """No request ends then; also if the timeout's action raises an exception."""
    clock, actions, ran = ManualClock(), ActionQueue(), list[str]()
    system_timer = SystemTimer("test", now_ms=clock, on_error=lambda _what, _error: None)

    def fail() -> None:
        actions.add(lambda: ran.append("action"))
        raise ZeroDivisionError

    CoordinatorTimer(system_timer, actions).schedule("k", 100, fail)
    clock.advance_to(100, system_timer)

    assert ran == ["action"]


def test_scheduled_timeouts_are_listed(timers: Timers) -> None:
    """Without those that have run or were cancelled."""
    timers.schedule("run", 10, "first")
    timers.schedule("cancelled", 100, "second")
    timers.schedule("kept", 100, "third")
    timers.pass_to(50)
    timers.timer.cancel("cancelled")

    assert [(key, task.delay_ms) for key, task in timers.timer.scheduled()] == [("kept", 100)]
