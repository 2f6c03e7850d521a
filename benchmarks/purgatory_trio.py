"""Many timers inside trio: a task and a cancel scope for each, or our wheel and its one reaper.

Both run with a clock that jumps when all tasks sleep. Therefore both include the costs of trio's
event loop for each wake-up, up to ten thousand times.
"""

from __future__ import annotations

import time
import tracemalloc

import trio
from trio.testing import MockClock

from benchmarks.purgatory_timers import SPAN_MS, Counting, Spent, Timers, seconds
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper


class TrioTasks(Timers):
    """A task and a cancel scope for each timer."""

    size_max = 100_000  # a million take 5.3 GB and 90 s, at the same cost for each

    def __init__(self, delays_ms: list[int]) -> None:
        self.delays_s = [delay_ms / 1000 for delay_ms in delays_ms]
        self.scopes: list[trio.CancelScope] = []
        self.ran = 0

    def spend(self) -> Spent:
        """Do nothing, because tasks exist inside a run only."""
        return trio.run(self._spend, clock=MockClock(autojump_threshold=0))

    def bytes_added(self) -> int:
        """Do nothing, see `prepare`."""
        return trio.run(self._bytes_added, clock=MockClock(autojump_threshold=0))

    async def _wait(self, delay_s: float) -> None:
        with trio.CancelScope() as scope:
            self.scopes.append(scope)
            await trio.sleep(delay_s)
            self.ran += 1

    async def _add(self, nursery: trio.Nursery) -> None:
        for delay_s in self.delays_s:
            nursery.start_soon(self._wait, delay_s)
        while len(self.scopes) < len(self.delays_s):
            await trio.lowlevel.checkpoint()

    async def _spend(self) -> Spent:
        async with trio.open_nursery() as nursery:
            started = time.perf_counter()
            await self._add(nursery)
            added = time.perf_counter()
            for scope in self.scopes[::2]:
                scope.cancel()
            await trio.lowlevel.checkpoint()
            cancelled = time.perf_counter()
        assert self.ran == len(self.delays_s) // 2
        return Spent(added - started, cancelled - added, time.perf_counter() - cancelled)

    async def _bytes_added(self) -> int:
        async with trio.open_nursery() as nursery:
            tracemalloc.start()
            await self._add(nursery)
            size = tracemalloc.get_traced_memory()[0]
            tracemalloc.stop()
            nursery.cancel_scope.cancel()
        return size


class Reaper(Timers):
    """`SystemTimer`, driven as in the broker."""

    def __init__(self, delays_ms: list[int]) -> None:
        self.ran = [0]
        self.clock = clock = MockClock(autojump_threshold=0)
        self.timer = SystemTimer("reaper", now_ms=lambda: clock.current_time() * 1000)
        self.tasks = [Counting(delay_ms, self.ran) for delay_ms in delays_ms]

    def spend(self) -> Spent:
        """Run with its reaper."""
        return trio.run(self._spend, clock=self.clock)

    def bytes_added(self) -> int:
        """The same as without trio."""
        tracemalloc.start()
        self._add()
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    def _add(self) -> None:
        add = self.timer.add
        for task in self.tasks:
            add(task)

    def _cancel(self) -> None:
        for task in self.tasks[::2]:
            task.cancel()

    async def _spend(self) -> Spent:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_reaper, self.timer)
            await trio.lowlevel.checkpoint()
            add_s, cancel_s = seconds(self._add), seconds(self._cancel)
            started = time.perf_counter()
            await trio.sleep(SPAN_MS / 1000 + 1)
            expire_s = time.perf_counter() - started
            nursery.cancel_scope.cancel()
        assert self.ran == [len(self.tasks) // 2]
        return Spent(add_s, cancel_s, expire_s)
