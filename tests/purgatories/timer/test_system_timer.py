"""Kafka's TimerTest (tick 1, wheel size 3), then tests of what Kafka does not have."""

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
    """TimerTest.testAlreadyExpiredTask: tasks with negative delays run in advance_clock(0)."""
    timer = SystemTimer("t", now_ms=ManualClock(1000.0), wheel_size=3)
    output: list[int] = []
    for delay_ms in range(-5, 0):
        timer.add(LoggingTask(delay_ms, delay_ms, output))
    timer.advance_clock(0)
    assert output == [-5, -4, -3, -2, -1]


def test_task_expiration() -> None:
    """TimerTest.testTaskExpiration: each task runs exactly once, with equal delays, too."""
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
    """An expiration between two ticks is rounded up, where Kafka rounds down."""
    clock = ManualClock(100.9)
    timer = SystemTimer("t", now_ms=clock)
    ran_ms: list[float] = []
    timer.add(Calling(10, lambda: ran_ms.append(clock())))
    clock.advance_to(110.9, timer)
    assert ran_ms == []
    clock.advance_to(111, timer)
    assert ran_ms == [111]


def test_adding_twice_moves_the_task() -> None:
    """A task that is added twice counts once and runs once, after the later delay."""
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
    """The wheel's clock lags, so the task is in a past bucket, which is polled at once."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    clock.now_ms = 1000.0
    output: list[int] = []
    timer.add(LoggingTask(0, 1, output))
    assert timer.size == 1
    assert timer.advance_clock(0)
    assert output == [1]


def test_cancelled_bucket_still_ends_the_wait() -> None:
    """An empty bucket stays queued until its time: advance_clock returns True and runs nothing."""
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
    """A single call moves a task from the coarsest wheel down and runs it."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock, wheel_size=3)
    output: list[int] = []
    for number in range(50):
        timer.add(LoggingTask(number + 1, number, output))
    clock.now_ms = 40
    timer.advance_clock(0)
    assert output == [*range(40)]


def test_task_that_raises_is_logged_and_others_run(caplog: pytest.LogCaptureFixture) -> None:
    """The exception is logged and other tasks run; Kafka ignores it."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    output: list[int] = []
    timer.add(Calling(1, lambda: 1 // 0))
    timer.add(LoggingTask(1, 2, output))
    with caplog.at_level(logging.ERROR):
        clock.advance_to(1, timer)
    assert output == [2]
    assert "ZeroDivisionError" in caplog.text


def test_adding_to_another_timer_moves_the_task() -> None:
    """A task is in one timer at a time: the one it was added to last."""
    clock = ManualClock()
    first, second = (SystemTimer(name, now_ms=clock) for name in ("first", "second"))
    task = TimerTask(100)
    first.add(task)
    second.add(task)
    assert (first.size, second.size) == (0, 1)


def test_task_may_add_itself_again() -> None:
    """The timer holds no lock while a task runs."""
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
    """Tasks that become due while tasks run are left for the next call, so each call ends."""
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
    """With an executor neither `add` nor `advance_clock` runs a task in its own thread."""
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
    """Waiting tasks never run after close."""
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
    """Closing twice has no effect, and tasks added after it never run."""
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
    """The closed timer raises no error; an executor shut down without a close is a bug."""

    class ClosedMeanwhile(ThreadPoolExecutor):
        def submit(self, *_: object) -> Future[Any]:  # type: ignore[override] # all that is used
            timer._closed = True  # noqa: SLF001 - a close between two steps
            raise RuntimeError

    timer = SystemTimer("t", now_ms=ManualClock(), executor=ClosedMeanwhile(1))
    timer.add(TimerTask(-1))
    gone = ThreadPoolExecutor(1)
    gone.shutdown()
    with pytest.raises(RuntimeError, match="shutdown"):
        SystemTimer("t", now_ms=ManualClock(), executor=gone).add(TimerTask(-1))


@pytest.mark.parametrize("timeout_ms", [-1, 0, -inf])
def test_advance_that_may_not_wait(timeout_ms: float) -> None:
    """If no task is due the call returns False at once."""
    timer = SystemTimer("t", now_ms=ManualClock())
    timer.add(TimerTask(5))
    assert not timer.advance_clock(timeout_ms)


@pytest.mark.parametrize("timeout_ms", [2.0**63, inf])
def test_advance_that_may_wait_for_ever(timeout_ms: float) -> None:
    """An infinite timeout does not overflow: the call waits until a task is due."""
    timer = SystemTimer("t", now_ms=ManualClock())
    ended: list[bool] = []
    thread = Thread(target=lambda: ended.append(timer.advance_clock(timeout_ms)), daemon=True)
    thread.start()
    timer.add(TimerTask(0))
    thread.join(30)
    assert ended == [True]


def test_blocked_advance_is_ended_by_a_task_of_no_delay() -> None:
    """A call that waits on an empty timer returns when a task is added."""
    timer = SystemTimer("t", now_ms=ManualClock())
    ran = Event()
    thread = Thread(target=lambda: timer.advance_clock(60_000))
    thread.start()
    timer.add(Calling(0, ran.set))
    thread.join(timeout=30)
    assert ran.is_set()


def test_hook_is_called_for_earlier_expirations_only() -> None:
    """on_earlier is called for earlier expirations only, and replaces the blocking wait."""
    timer = SystemTimer("t", now_ms=ManualClock())
    calls: list[float] = []
    timer.on_earlier(lambda: calls.append(timer.next_expiration_ms))
    for delay_ms in (400, 500, 30, 0):
        timer.add(TimerTask(delay_ms))
    assert calls == [400, 20, -inf]  # 30 is in the bucket of 20 to 39


def test_larger_tick_is_rounded_up_to() -> None:
    """With a larger tick a task is late by less than a tick; Kafka may run it early."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock, tick_ms=10)
    output: list[int] = []
    timer.add(LoggingTask(14, 1, output))
    clock.advance_to(19, timer)
    assert output == []
    clock.advance_to(20, timer)
    assert output == [1]


@pytest.mark.parametrize("delay_ms", [0.1, 0.125, 1, 7.3, 499.9])
def test_with_a_tick_of_an_eighth_a_task_is_late_by_less_than_an_eighth(delay_ms: float) -> None:
    """It is not early, and a time that is a multiple of the tick is exact."""
    clock = ManualClock(1000.3)
    timer = SystemTimer("t", now_ms=clock, tick_ms=0.125)
    task = TimerTask(delay_ms)
    timer.add(task)
    while (next_ms := timer.next_expiration_ms) < inf:
        clock.now_ms = next_ms
        timer.advance_clock(0)
    assert 0 <= clock() - (1000.3 + delay_ms) < 0.125
    assert clock() == task.expiration_ms
    assert clock() % 0.125 == 0


def test_a_tick_without_a_duration_is_refused() -> None:
    """Every time would be one tick."""
    with pytest.raises(AssertionError):
        SystemTimer("t", now_ms=ManualClock(), tick_ms=0)


def test_on_run_is_called_before_each_task() -> None:
    """With the timer and the task; it may be unset at any time."""
    clock_ms, ran = [0.0], list[object]()
    timer = SystemTimer("t", now_ms=lambda: clock_ms[0])
    first, second = TimerTask(5), TimerTask(6)
    timer.add(first)
    timer.add(second)
    timer.on_run = lambda *run: ran.append(run)
    clock_ms[0] = 5.0
    timer.advance_clock(0)

    timer.on_run = None
    clock_ms[0] = 6.0
    timer.advance_clock(0)

    assert ran == [(timer, first)]
