"""Tests of the timer driven by asyncio, in virtual time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from math import inf
from typing import Any

import pytest

from purgatories.timer.asyncio_reaper import run_reaper
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

Run = Callable[[Coroutine[Any, Any, None]], None]


class VirtualTime(selectors.DefaultSelector):
    """A selector whose time jumps to the end of each wait, unless a descriptor is ready."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = 1000.0123

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready; only a wait without end waits in real time."""
        ready = super().select(None if timeout is None else 0)
        if not ready and timeout is not None and timeout > 0:
            self.now_s += timeout
        return ready


@pytest.fixture
def run() -> Iterator[Run]:
    """Runs a coroutine in a loop of virtual time."""
    selector = VirtualTime()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = lambda: selector.now_s  # type: ignore[method-assign] # its documented extension point
    yield loop.run_until_complete
    loop.close()


def now_ms() -> float:
    return asyncio.get_running_loop().time() * 1000


class Stamping(TimerTask):
    """Records the time when it ran."""

    def __init__(self, delay_ms: float, stamps: list[float]) -> None:
        super().__init__(delay_ms)
        self.stamps = stamps

    def run(self) -> None:
        self.stamps.append(now_ms())


@asynccontextmanager
async def reaped(purge: Callable[[], None] | None = None) -> AsyncIterator[SystemTimer]:
    timer = SystemTimer("t", now_ms=now_ms)
    reaper = asyncio.ensure_future(run_reaper(timer, purge))
    await asyncio.sleep(0.001)
    yield timer
    reaper.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reaper


def test_tasks_run_at_their_time(run: Run) -> None:
    """Tasks run within a tick after their delay, never early, in any order of addition."""

    async def scenario() -> None:
        stamps: list[float] = []
        async with reaped() as timer:
            started_ms = now_ms()
            for delay_ms in (450, 1, 20, 30_000, 7):
                timer.add(Stamping(delay_ms, stamps))
            await asyncio.sleep(31)
        waited = [stamp - started_ms for stamp in stamps]
        late = [a - b for a, b in zip(waited, (1, 7, 20, 450, 30_000), strict=True)]
        assert min(late) >= -1e-6
        assert max(late) <= 1.001

    run(scenario())


def test_earlier_task_ends_the_wait(run: Run) -> None:
    """An earlier task shortens the current wait of the reaper."""

    async def scenario() -> None:
        stamps: list[float] = []
        async with reaped() as timer:
            started_ms = now_ms()
            timer.add(Stamping(10_000, stamps))
            await asyncio.sleep(1)
            timer.add(Stamping(50, stamps))
            await asyncio.sleep(1)
            assert [stamp - started_ms for stamp in stamps] == pytest.approx([1050], abs=1.002)

    run(scenario())


def test_task_of_no_delay_runs_in_the_next_step_of_the_loop(run: Run) -> None:
    """A task without delay wakes the reaper; no time passes."""

    async def scenario() -> None:
        stamps: list[float] = []
        async with reaped() as timer:
            started_ms = now_ms()
            timer.add(Stamping(0, stamps))
            for _ in range(3):
                await asyncio.sleep(0)
            assert stamps == [started_ms]

    run(scenario())


def test_idle_timer_makes_no_step(run: Run) -> None:
    """Without tasks the reaper makes no step in an hour."""

    async def scenario() -> None:
        steps: list[float] = []
        async with reaped(lambda: steps.append(now_ms())) as timer:
            assert timer.next_expiration_ms == inf
            await asyncio.sleep(3600)
        assert steps == []

    run(scenario())


def test_every_step_ends_with_the_purge(run: Run) -> None:
    """For one bucket there is one step and one purge, whose exception does not end the reaper."""

    async def scenario() -> None:
        steps: list[float] = []

        def purge() -> None:
            steps.append(now_ms())
            raise RuntimeError("the purge fails")

        errors: list[Exception] = []
        async with reaped(purge) as timer:
            timer.on_error = lambda what, error: errors.append(error)
            timer.add(TimerTask(5))
            timer.add(TimerTask(8))
            await asyncio.sleep(1)
        assert len(steps) == len(errors) == 2

    run(scenario())


def test_tasks_may_come_from_other_threads(run: Run) -> None:
    """A task added in another thread wakes the reaper and runs in the reaper's thread."""

    async def scenario() -> None:
        stamps: list[float] = []
        ran = asyncio.Event()

        class Setting(Stamping):
            def run(self) -> None:
                super().run()
                ran.set()

        started_ms = now_ms()
        timer = SystemTimer("t", now_ms=lambda: started_ms)
        reaper = asyncio.ensure_future(run_reaper(timer))
        await asyncio.sleep(0)
        await asyncio.to_thread(timer.add, Setting(0, stamps))
        await ran.wait()
        reaper.cancel()
        assert len(stamps) == 1

    run(scenario())


def test_timer_outlives_its_reaper(run: Run) -> None:
    """After the reaper was cancelled, adding calls no hook and another driver can start."""

    async def scenario() -> None:
        async with reaped() as timer:
            pass
        stamps: list[float] = []
        timer.add(Stamping(0, stamps))
        assert timer.advance_clock(0)
        assert len(stamps) == 1

    run(scenario())
