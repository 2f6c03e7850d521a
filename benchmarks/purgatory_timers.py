"""Ways to have many timers in Python: our wheel, heapq, asyncio.call_later, a trio task for each.

Every one is asked to add N timers of 1 to 10 000 ms, cancel every second one, and let the others
expire while a scripted clock steps through the ten seconds by milliseconds.
"""

from __future__ import annotations

import asyncio
import gc
import random
import time
import tracemalloc
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Protocol

import trio
from trio.testing import MockClock

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

Sample = dict[str, float]

SIZES = {1000: "1k", 10_000: "10k", 100_000: "100k", 1_000_000: "1m"}
SPAN_MS = 10_000


class Timers(Protocol):
    """Something that has N timers, by number."""

    size_max: int

    def __init__(self, delays_ms: list[int]) -> None: ...

    def add(self) -> None:
        """Add them all."""
        ...

    def cancel(self) -> None:
        """Cancel every second one."""
        ...

    def expire(self) -> int:
        """Let the others expire; returns how many did."""
        ...


class Counting(TimerTask):
    """Counts that it ran."""

    __slots__ = ("ran",)

    def __init__(self, delay_ms: int, ran: list[int]) -> None:
        super().__init__(delay_ms)
        self.ran = ran

    def run(self) -> None:
        """Count."""
        self.ran[0] += 1


class Ours:
    """`SystemTimer`."""

    size_max = 1_000_000

    def __init__(self, delays_ms: list[int]) -> None:
        self.now_ms = 0.0
        self.ran = [0]
        self.timer = SystemTimer("ours", now_ms=lambda: self.now_ms)
        self.tasks = [Counting(delay_ms, self.ran) for delay_ms in delays_ms]

    def add(self) -> None:
        """Add them all."""
        add = self.timer.add
        for task in self.tasks:
            add(task)

    def cancel(self) -> None:
        """Cancel every second one."""
        for task in self.tasks[::2]:
            task.cancel()

    def expire(self) -> int:
        """Step through time."""
        advance_clock = self.timer.advance_clock
        for now_ms in range(1, SPAN_MS + 1):
            self.now_ms = now_ms
            advance_clock(0)
        return self.ran[0]


class HeapTask:
    """A task that is in a heap until its time, even if cancelled."""

    __slots__ = ("delay_ms", "is_cancelled", "ran")

    def __init__(self, delay_ms: int, ran: list[int]) -> None:
        self.delay_ms = delay_ms
        self.ran = ran
        self.is_cancelled = False

    def run(self) -> None:
        """Count."""
        self.ran[0] += 1


class Heapq:
    """A heap with lazy cancellation; compacted when half of it is cancelled. No locks."""

    size_max = 1_000_000

    def __init__(self, delays_ms: list[int]) -> None:
        self.now_ms = 0.0
        self.ran = [0]
        self.clock: Callable[[], float] = lambda: self.now_ms
        self.heap: list[tuple[float, int, HeapTask]] = []
        self.added = self.cancelled = 0
        self.tasks = [HeapTask(delay_ms, self.ran) for delay_ms in delays_ms]

    def _add(self, task: HeapTask) -> None:
        self.added += 1
        heappush(self.heap, (self.clock() + task.delay_ms, self.added, task))

    def _cancel(self, task: HeapTask) -> None:
        task.is_cancelled = True
        self.cancelled += 1
        if self.cancelled * 2 > len(self.heap):
            self.heap = [entry for entry in self.heap if not entry[2].is_cancelled]
            heapify(self.heap)
            self.cancelled = 0

    def _advance_clock(self) -> None:
        heap, now_ms = self.heap, self.clock()
        while heap and heap[0][0] <= now_ms:
            task = heappop(heap)[2]
            if not task.is_cancelled:
                try:
                    task.run()
                except Exception as error:  # noqa: BLE001, RUF100 - as the wheel survives its tasks
                    print(error)

    def add(self) -> None:
        """Add them all."""
        for task in self.tasks:
            self._add(task)

    def cancel(self) -> None:
        """Cancel every second one."""
        for task in self.tasks[::2]:
            self._cancel(task)

    def expire(self) -> int:
        """Step through time."""
        for now_ms in range(1, SPAN_MS + 1):
            self.now_ms = now_ms
            self._advance_clock()
        return self.ran[0]


class ScriptedLoop(asyncio.SelectorEventLoop):
    """An event loop that is told what time it is."""

    now_s = 0.0

    def time(self) -> float:
        """By the script."""
        return self.now_s


class Asyncio:
    """`call_later` on a loop whose clock is scripted."""

    size_max = 1_000_000

    def __init__(self, delays_ms: list[int]) -> None:
        self.ran = 0
        self.loop = ScriptedLoop()
        self.delays_s = [delay_ms / 1000 for delay_ms in delays_ms]

    def _run(self) -> None:
        self.ran += 1

    def add(self) -> None:
        """Add them all."""
        call_later, run = self.loop.call_later, self._run
        self.handles = [call_later(delay_s, run) for delay_s in self.delays_s]

    def cancel(self) -> None:
        """Cancel every second one."""
        for handle in self.handles[::2]:
            handle.cancel()

    def expire(self) -> int:
        """Step through time."""
        loop = self.loop
        for now_ms in range(1, SPAN_MS + 1):
            loop.now_s = now_ms / 1000 + 1e-6
            loop.call_soon(loop.stop)
            loop.run_forever()
        loop.close()
        return self.ran


class TrioTasks:
    """A task and a cancel scope for each timer, under a clock that jumps."""

    size_max = 10_000  # a hundred thousand would take minutes and 400 MB

    def __init__(self, delays_ms: list[int]) -> None:
        self.delays_s = [delay_ms / 1000 for delay_ms in delays_ms]
        self.scopes: list[trio.CancelScope] = []
        self.ran = 0
        self.parts_s: dict[str, float] = {}

    async def _wait(self, delay_s: float) -> None:
        with trio.CancelScope() as scope:
            self.scopes.append(scope)
            await trio.sleep(delay_s)
            self.ran += 1

    async def _all(self) -> None:
        """Everything in one loop: what is timed is kept for `measure`."""
        async with trio.open_nursery() as nursery:
            started = time.perf_counter()
            for delay_s in self.delays_s:
                nursery.start_soon(self._wait, delay_s)
            while len(self.scopes) < len(self.delays_s):
                await trio.lowlevel.checkpoint()
            added = time.perf_counter()
            for scope in self.scopes[::2]:
                scope.cancel()
            await trio.lowlevel.checkpoint()
            self.parts_s = {"add": added - started, "cancel": time.perf_counter() - added}

    def add(self) -> None:
        """Do nothing yet: tasks exist inside a run only."""

    def cancel(self) -> None:
        """Do nothing yet."""

    def expire(self) -> int:
        """Add, cancel and wait."""
        trio.run(self._all, clock=MockClock(autojump_threshold=0))
        return self.ran


TIMERS: dict[str, type[Timers]] = {
    "ours": Ours,
    "heapq": Heapq,
    "asyncio": Asyncio,
    "trio": TrioTasks,
}


def measure(timer: type[Timers], size: int, scale: float) -> Sample:
    """Nanoseconds an operation, and bytes a pending timer beyond the task itself."""
    name = f"timers_{SIZES[size]}"
    count = int(size * scale)
    draw = random.Random(1)
    delays_ms = [draw.randint(1, SPAN_MS) for _ in range(count)]
    timers = timer(delays_ms)
    added_s = _seconds(timers.add)
    cancelled_s = _seconds(timers.cancel)
    expired_s = _seconds(lambda: _expire(timers, count))
    if isinstance(timers, TrioTasks):
        added_s, cancelled_s = timers.parts_s["add"], timers.parts_s["cancel"]
        expired_s -= added_s + cancelled_s
    sample = {
        f"{name}_add_ns": added_s / count * 1e9,
        f"{name}_cancel_ns": cancelled_s / (count / 2) * 1e9,
        f"{name}_expire_ns": expired_s / (count / 2) * 1e9,
    }
    if not isinstance(timers, TrioTasks):
        sample[f"{name}_bytes_per_op"] = _bytes_added(timer(delays_ms)) / count
    return sample


def _expire(timers: Timers, count: int) -> None:
    expired = timers.expire()
    assert expired == count // 2, (expired, count)


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def _bytes_added(timers: Timers) -> int:
    gc.collect()
    tracemalloc.start()
    timers.add()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size
