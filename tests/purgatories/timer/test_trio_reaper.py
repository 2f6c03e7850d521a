"""Tests of the timer driven by trio, in virtual time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.trio_reaper import run_reaper

pytestmark = pytest.mark.anyio


def now_ms() -> float:
    return trio.current_time() * 1000


class Stamping(TimerTask):
    """Records the time when it ran."""

    def __init__(self, delay_ms: float, stamps: list[float]) -> None:
        super().__init__(delay_ms)
        self.stamps = stamps

    def run(self) -> None:
        self.stamps.append(now_ms())


@asynccontextmanager
async def reaped(purge: Callable[[], None] | None = None) -> AsyncIterator[SystemTimer]:
    clock = trio.lowlevel.current_clock()
    async with trio.open_nursery() as nursery:
        timer = SystemTimer("t", now_ms=lambda: clock.current_time() * 1000)
        nursery.start_soon(run_reaper, timer, purge)
        await trio.testing.wait_all_tasks_blocked()
        yield timer
        nursery.cancel_scope.cancel()


async def test_tasks_run_at_their_time() -> None:
    """Tasks run at their exact millisecond of virtual time, in any order of addition."""
    stamps: list[float] = []
    async with reaped() as timer:
        started_ms = now_ms()
        for delay_ms in (450, 1, 20, 30_000, 7):
            timer.add(Stamping(delay_ms, stamps))
        await trio.sleep(31)
    waited = [stamp - started_ms for stamp in stamps]
    assert waited == pytest.approx([1, 7, 20, 450, 30_000], abs=0.002)


async def test_no_task_runs_early_at_any_fraction_of_time() -> None:
    """Rounding between seconds and milliseconds never makes a task run early."""
    late: list[float] = []

    class Measuring(TimerTask):
        def __init__(self, delay_ms: float) -> None:
            super().__init__(delay_ms)
            self.added_ms = now_ms()

        def run(self) -> None:
            late.append(now_ms() - self.added_ms - self.delay_ms)

    async with reaped() as timer:
        for number in range(300):
            await trio.sleep(0.0001237 * (number + 1))
            timer.add(Measuring(number * 0.37))
        await trio.sleep(1)
    assert len(late) == 300
    assert min(late) > -1e-6
    assert max(late) <= 1.002


async def test_earlier_task_moves_the_deadline() -> None:
    """An earlier task shortens the current sleep of the reaper."""
    stamps: list[float] = []
    async with reaped() as timer:
        started_ms = now_ms()
        timer.add(Stamping(10_000, stamps))
        await trio.sleep(1)
        timer.add(Stamping(50, stamps))
        await trio.sleep(1)
        assert [stamp - started_ms for stamp in stamps] == pytest.approx([1050], abs=0.002)


async def test_task_of_no_delay_runs_without_time_passing() -> None:
    """A task without delay wakes the reaper and runs at once."""
    stamps: list[float] = []
    async with reaped() as timer:
        started_ms = now_ms()
        timer.add(Stamping(0, stamps))
        await trio.testing.wait_all_tasks_blocked()
        assert stamps == [started_ms]


async def test_idle_timer_makes_no_step() -> None:
    """Without tasks the reaper makes no step in an hour."""
    steps: list[float] = []
    async with reaped(lambda: steps.append(now_ms())):
        await trio.sleep(3600)
    assert steps == []


async def test_every_step_ends_with_the_purge() -> None:
    """For one bucket there is one step and one purge."""
    steps: list[float] = []
    async with reaped(lambda: steps.append(now_ms())) as timer:
        timer.add(TimerTask(5))
        await trio.sleep(1)
    assert len(steps) == 1


async def test_tasks_may_come_from_other_threads() -> None:
    """A task added in another thread wakes the reaper and runs in the reaper's thread."""
    stamps: list[float] = []
    ran = trio.Event()

    class Setting(Stamping):
        def run(self) -> None:
            super().run()
            ran.set()

    async with reaped() as timer:
        task = Setting(0, stamps)
        await trio.to_thread.run_sync(timer.add, task)
        await ran.wait()
    assert len(stamps) == 1


async def test_timer_outlives_its_reaper() -> None:
    """After the reaper was cancelled, adding calls no hook and another driver can start."""
    async with reaped() as timer:
        pass
    stamps: list[float] = []
    timer.add(Stamping(0, stamps))
    assert timer.advance_clock(0)
    assert len(stamps) == 1


@pytest.fixture
def anyio_backend() -> tuple[str, dict[str, Any]]:
    return "trio", {"clock": MockClock(autojump_threshold=0)}


async def test_a_clock_that_is_adjusted_moves_the_deadline() -> None:
    """A frozen clock has none; a clock that was moved forwards runs the task at once."""
    stamps: list[float] = []
    clock_ms = [0.0]
    timer = SystemTimer("t", now_ms=lambda: clock_ms[0])

    def until(time_ms: float) -> float:
        return inf if time_ms > clock_ms[0] else 0

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer, None, until)
        timer.add(Stamping(450, stamps))
        await trio.sleep(3600)
        assert stamps == []

        began_ms, clock_ms[0] = now_ms(), 450.0
        timer.clock_adjusted()
        await trio.testing.wait_all_tasks_blocked()

        assert stamps == [began_ms]
        nursery.cancel_scope.cancel()


async def test_a_purge_that_raises_does_not_end_the_reaper() -> None:
    """The exception is reported to on_error, and the next step purges again."""
    reported: list[str] = []

    def purge() -> None:
        raise ZeroDivisionError

    async with reaped(purge) as timer:
        timer.on_error = lambda what, _error: reported.append(what)
        timer.add(TimerTask(5))
        timer.add(TimerTask(10))
        await trio.sleep(1)
    assert reported == ["the purge of t"] * 2
