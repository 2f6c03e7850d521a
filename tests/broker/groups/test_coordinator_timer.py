"""Timeouts by name (mirrors ``CoordinatorTimerImplTest``)."""

from __future__ import annotations

import pytest

from broker.groups.coordinator_timer import RETRY_BACKOFF_MS, CoordinatorTimer
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock


class Timers:
    """A coordinator's timer on a clock that is moved by hand; ``done`` is what was to be done."""

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


def test_what_is_due_is_done_once(timers: Timers) -> None:
    """Not before its time, and not again."""
    timers.schedule("k", 100, "it")
    timers.pass_to(99)
    assert (timers.done, timers.timer.is_scheduled("k")) == ([], True)

    timers.pass_to(1000)

    assert (timers.done, timers.timer.is_scheduled("k")) == (["it"], False)


def test_scheduling_anew_replaces_what_was_there(timers: Timers) -> None:
    """Time begins again, whether the new deadline is the later or the earlier one."""
    timers.schedule("later", 100, "first")
    timers.schedule("later", 300, "second")
    timers.schedule("sooner", 300, "third")
    timers.schedule("sooner", 100, "fourth")

    timers.pass_to(200)
    assert timers.done == ["fourth"]
    timers.pass_to(1000)
    assert timers.done == ["fourth", "second"]


def test_what_is_scheduled_stays_if_that_was_asked_for(timers: Timers) -> None:
    """``scheduleIfAbsent``."""
    timers.schedule("k", 100, "first")
    timers.timer.schedule_if_absent("k", 50, lambda: timers.done.append("second"))
    timers.timer.schedule_if_absent("other", 50, lambda: timers.done.append("third"))
    timers.pass_to(1000)

    assert timers.done == ["third", "first"]


def test_what_is_cancelled_is_not_done(timers: Timers) -> None:
    """Cancelling twice, or what was never there, is harmless."""
    timers.schedule("k", 100, "it")
    for key in ("k", "k", "nothing"):
        timers.timer.cancel(key)
    timers.pass_to(1000)

    assert timers.done == []


def test_cancelling_comes_in_time_even_if_both_are_due(timers: Timers) -> None:
    """The timer has taken both out already when the first of them thinks otherwise."""
    timers.timer.schedule("a", 100, lambda: timers.timer.cancel("b"))
    timers.schedule("b", 100, "b")
    timers.pass_to(1000)

    assert timers.done == []


def test_what_is_done_may_schedule_itself_again(timers: Timers) -> None:
    """Under the same key."""
    timers.timer.schedule("k", 100, lambda: timers.schedule("k", 100, "again"))
    timers.pass_to(1000)

    assert timers.done == ["again"]


def test_what_raises_is_tried_again(timers: Timers, caplog: pytest.LogCaptureFixture) -> None:
    """After a while, until it succeeds: a member whose session has ended must not stay."""
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


def test_what_raises_may_have_scheduled_something_else(timers: Timers) -> None:
    """That is not replaced."""

    def act() -> None:
        timers.schedule("k", 100, "other")
        raise ZeroDivisionError

    timers.timer.schedule("k", 100, act)
    timers.pass_to(10_000)

    assert timers.done == ["other"]
