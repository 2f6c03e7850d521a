"""Actions that a timer runs once or periodically, in virtual time."""

from __future__ import annotations

import weakref
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
import trio.testing

from broker.common.clock import TrioClock
from broker.steps.queue import Signal, Slices, StepQueue
from broker.steps.schedule import InSlices, schedule, schedule_once
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.garbage import without_garbage_collection

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def running_timer(reported: list[str]) -> AsyncIterator[SystemTimer]:
    """A timer that runs; exceptions of its tasks are added to *reported*."""
    timer = SystemTimer(
        "test",
        now_ms=TrioClock().now_ms,
        on_error=lambda what, _error: reported.append(what),
    )
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        yield timer
        nursery.cancel_scope.cancel()


def still_timer() -> SystemTimer:
    """A timer whose time does not pass."""
    return SystemTimer("test", now_ms=lambda: 0.0)


async def test_a_periodic_action_runs_after_its_delay_and_then_every_period() -> None:
    """The delay and the period are independent."""
    times_ms: list[int] = []
    started = trio.current_time()
    async with running_timer([]) as timer:
        schedule(
            timer,
            lambda: times_ms.append(round((trio.current_time() - started) * 1000)),
            delay_ms=100,
            period_ms=1000,
        )
        await trio.sleep(2.5)

    assert times_ms == [pytest.approx(each, abs=2) for each in (100, 1100, 2100)]


async def test_a_periodic_action_runs_again_after_an_exception() -> None:
    """Each exception is reported."""
    reported: list[str] = []

    def fail() -> None:
        raise ZeroDivisionError

    async with running_timer(reported) as timer:
        schedule(timer, fail, delay_ms=100, period_ms=1000)
        await trio.sleep(2.5)

    assert len(reported) == 3


async def test_an_action_that_is_scheduled_once_runs_once() -> None:
    """After its delay."""
    runs: list[int] = []
    async with running_timer([]) as timer:
        schedule_once(timer, lambda: runs.append(1), delay_ms=100)
        await trio.sleep(0.05)
        before = len(runs)
        await trio.sleep(10)

    assert (before, len(runs)) == (0, 1)


async def test_an_action_that_has_run_is_freed_without_garbage_collection() -> None:
    """The entry of the timer refers to the task, and the task to the entry."""
    async with running_timer([]) as timer:
        with without_garbage_collection():
            runs: list[int] = []

            def action() -> None:
                runs.append(1)

            is_there = weakref.ref(action)
            schedule_once(timer, action, delay_ms=100)
            del action
            assert is_there() is not None
            await trio.sleep(10)
            assert runs == [1]
            assert is_there() is None


async def test_a_cancelled_action_does_not_run() -> None:
    """Neither a periodic one nor one that is scheduled once."""
    runs: list[int] = []
    async with running_timer([]) as timer:
        schedule(timer, lambda: runs.append(1), delay_ms=100, period_ms=100).cancel()
        schedule_once(timer, lambda: runs.append(2), delay_ms=100).cancel()
        await trio.sleep(1)

    assert runs == []


async def test_an_action_in_slices_does_nothing_while_it_runs() -> None:
    """The next one after it starts again."""
    steps, started = StepQueue(lambda: 0.0), list[Signal]()

    def work() -> Slices[None]:
        started.append(Signal())
        yield started[-1]

    action = InSlices(still_timer(), steps, work)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(steps.run)
        action()
        action()
        assert len(started) == 1
        started[0].set()
        await trio.testing.wait_all_tasks_blocked()
        action()
        nursery.cancel_scope.cancel()

    assert len(started) == 2


async def test_an_action_in_slices_ends_when_its_timer_is_closed() -> None:
    """What it works on may be closed as well."""
    timer, steps, done = still_timer(), StepQueue(lambda: 0.0), list[str]()
    signal = Signal()

    def work() -> Slices[None]:
        yield signal
        done.append("continued")

    InSlices(timer, steps, work)()
    timer.close()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(steps.run)
        signal.set()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()

    assert done == []


def test_an_action_in_slices_runs_again_after_an_exception() -> None:
    """The exception propagates to the caller of the action."""

    def fail() -> Slices[None]:
        yield None
        raise ZeroDivisionError

    action = InSlices(still_timer(), StepQueue(lambda: 0.0), fail)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            action()
