"""Kafka's TimerTest (tick 1, wheel 3), then what is ours."""

from __future__ import annotations

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from math import inf
from threading import Event, Thread, get_ident
from typing import Any

import pytest

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from tests.purgatories.manual_clock import LoggingTask, ManualClock


class Calling(TimerTask):
    def __init__(self, delay_ms: float, call: object) -> None:
        super().__init__(delay_ms)
        self.call = call

    def run(self) -> None:
        assert callable(self.call)
        self.call()


def test_already_expired_task() -> None:
    """TimerTest.testAlreadyExpiredTask: negative delays run with no more than advance_clock(0)."""
    timer = SystemTimer("t", now_ms=ManualClock(1000.0), wheel_size=3)
    output: list[int] = []
    for delay_ms in range(-5, 0):
        timer.add(LoggingTask(delay_ms, delay_ms, output))
    timer.advance_clock(0)
    assert output == [-5, -4, -3, -2, -1]


def test_task_expiration() -> None:
    """TimerTest.testTaskExpiration: each of many tasks, twins among them, runs exactly once."""
    clock = ManualClock(1000.0)
    timer = SystemTimer("t", now_ms=clock, wheel_size=3)
    output: list[int] = []
    delays = [*range(5), *sorted([*range(10, 100)] * 2), *range(100, 500)]
    for number, delay_ms in enumerate(delays):
        timer.add(LoggingTask(delay_ms, number, output))
    assert timer.size == len(delays) - 1  # the one of 0 ms is due
    clock.advance_to(1500, timer)
    assert output == [*range(len(delays))]
    assert timer.size == 0


def test_task_is_never_early() -> None:
    """An expiration between two ticks waits for the later one, where Kafka takes the earlier."""
    clock = ManualClock(100.9)
    timer = SystemTimer("t", now_ms=clock)
    ran_ms: list[float] = []
    timer.add(Calling(10, lambda: ran_ms.append(clock())))
    clock.advance_to(110.9, timer)
    assert ran_ms == []
    clock.advance_to(111, timer)
    assert ran_ms == [111]


def test_adding_twice_moves_the_task() -> None:
    """It is counted once and runs once, by the later delay."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    task = LoggingTask(10, 1, output)
    timer.add(task)
    clock.advance_to(7, timer)
    timer.add(task)
    assert timer.size == 1
    clock.advance_to(16, timer)
    assert output == []
    clock.advance_to(17, timer)
    assert output == [1]


def test_zero_delay_after_an_idle_second_runs_at_the_next_advance() -> None:
    """The wheel's clock lags, so the task is in a bucket of the past: polled at once."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    clock.now_ms = 1000.0
    output: list[int] = []
    timer.add(LoggingTask(0, 1, output))
    assert timer.size == 1
    assert timer.advance_clock(0)
    assert output == [1]


def test_cancelled_bucket_still_ends_the_wait() -> None:
    """An empty bucket stays queued until its time: advance says True and runs nothing."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    task = LoggingTask(5, 1, [])
    timer.add(task)
    task.cancel()
    assert timer.size == 0
    clock.now_ms = 5
    assert timer.advance_clock(0)
    assert task.output == []
    assert timer.next_expiration_ms == inf


def test_one_advance_drains_all_that_is_due() -> None:
    """Cascading included: from the coarsest wheel to the run in a single call."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock, wheel_size=3)
    output: list[int] = []
    for number in range(50):
        timer.add(LoggingTask(number + 1, number, output))
    clock.now_ms = 40
    timer.advance_clock(0)
    assert output == [*range(40)]


def test_task_that_raises_is_logged_and_hurts_no_other(caplog: pytest.LogCaptureFixture) -> None:
    """Kafka swallows it; here it is logged."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    timer.add(Calling(1, lambda: 1 // 0))
    timer.add(LoggingTask(1, 2, output))
    with caplog.at_level(logging.ERROR):
        clock.advance_to(1, timer)
    assert output == [2]
    assert "ZeroDivisionError" in caplog.text


def test_task_may_add_itself_again() -> None:
    """No lock of the timer is held while a task runs."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    ran_ms: list[float] = []

    def again() -> None:
        ran_ms.append(clock())
        timer.add(task)

    task = Calling(10, again)
    timer.add(task)
    clock.advance_to(35, timer)
    assert ran_ms == [10, 20, 30]


def test_task_that_makes_itself_due_does_not_hold_the_clock() -> None:
    """What becomes due while tasks run is left to the next advance, so every advance ends."""
    timer = SystemTimer("t", now_ms=ManualClock())
    runs: list[int] = []

    def again() -> None:
        runs.append(1)
        timer.add(task)

    task = Calling(0, again)
    timer.add(task)
    for number in range(1, 4):
        assert timer.advance_clock(0)
        assert len(runs) == number


def test_executor_runs_the_tasks_instead_of_the_clock() -> None:
    """Neither `add` nor `advance_clock` runs a task on its own thread then."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock, executor=ThreadPoolExecutor(1, "executor-t"))
    threads: list[int] = []
    for delay_ms in (0, 5):
        timer.add(Calling(delay_ms, lambda: threads.append(get_ident())))
    clock.now_ms = 5
    timer.advance_clock(0)
    timer.close()
    assert len(threads) == 2
    assert get_ident() not in threads


def test_close_drops_what_waits() -> None:
    """Tasks in the wheel are not run, whoever advances the clock afterwards."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    timer.add(LoggingTask(5, 1, output))
    timer.close()
    clock.now_ms = 10
    timer.advance_clock(0)
    assert output == []


@pytest.mark.parametrize("executor", [None, ThreadPoolExecutor(1)])
def test_closing_twice_and_adding_after_it(executor: ThreadPoolExecutor | None) -> None:
    """A reaper closes its timer, and so does a purgatory; late requests are dropped in silence."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock, executor=executor)
    timer.close()
    timer.close()
    output: list[int] = []
    for delay_ms in (-1, 0, 5):
        timer.add(LoggingTask(delay_ms, delay_ms, output))
    clock.now_ms = 10
    timer.advance_clock(0)
    assert output == []


def test_closed_while_a_task_is_on_its_way_to_the_executor() -> None:
    """Who added it does not hear of that; an executor that is gone without a close is a bug."""

    class ClosedMeanwhile(ThreadPoolExecutor):
        def submit(self, *_: object) -> Future[Any]:  # type: ignore[override] # all that is used
            timer._closed = True
            raise RuntimeError

    timer = SystemTimer("t", now_ms=ManualClock(), executor=ClosedMeanwhile(1))
    timer.add(TimerTask(-1))
    gone = ThreadPoolExecutor(1)
    gone.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        SystemTimer("t", now_ms=ManualClock(), executor=gone).add(TimerTask(-1))


@pytest.mark.parametrize("timeout_ms", [-1, 0, -inf])
def test_advance_that_may_not_wait(timeout_ms: float) -> None:
    """Nothing is due, and it says so at once."""
    timer = SystemTimer("t", now_ms=ManualClock())
    timer.add(TimerTask(5))
    assert not timer.advance_clock(timeout_ms)


@pytest.mark.parametrize("timeout_ms", [2.0**63, inf])
def test_advance_that_may_wait_for_ever(timeout_ms: float) -> None:
    """No overflow: it waits until there is something to do."""
    timer = SystemTimer("t", now_ms=ManualClock())
    ended: list[bool] = []
    thread = Thread(target=lambda: ended.append(timer.advance_clock(timeout_ms)), daemon=True)
    thread.start()
    timer.add(TimerTask(0))
    thread.join(30)
    assert ended == [True]


def test_blocked_advance_is_ended_by_a_task_of_no_delay() -> None:
    """A sleeper on an empty timer sees what is added meanwhile."""
    timer = SystemTimer("t", now_ms=ManualClock())
    ran = Event()
    thread = Thread(target=lambda: timer.advance_clock(60_000))
    thread.start()
    timer.add(Calling(0, ran.set))
    thread.join(timeout=30)
    assert ran.is_set()


def test_sleeper_is_told_of_earlier_expirations_only() -> None:
    """The hook replaces the blocking wait."""
    timer = SystemTimer("t", now_ms=ManualClock())
    told: list[float] = []
    timer.on_earlier(lambda: told.append(timer.next_expiration_ms))
    for delay_ms in (400, 500, 30, 0):
        timer.add(TimerTask(delay_ms))
    assert told == [400, 20, -inf]  # 30 is in the bucket of 20 to 39


def test_larger_tick_is_rounded_up_to() -> None:
    """Kafka may fire up to a tick early then; here it is late by less than a tick."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock, tick_ms=10)
    output: list[int] = []
    timer.add(LoggingTask(14, 1, output))
    clock.advance_to(19, timer)
    assert output == []
    clock.advance_to(20, timer)
    assert output == [1]
