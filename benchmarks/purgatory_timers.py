"""Implementations of many timers: our wheel, heapq, asyncio.call_later, a trio task for each.

    add N timers of 1 to 10 000 ms --> cancel every second one --> let the others expire

The clock is simulated and jumps to the next deadline. The figures are therefore the costs of the
timers, not of waiting; only those of trio include the passes of its event loop, one for each
deadline (`purgatory_trio.py`).
"""

from __future__ import annotations

import asyncio
import gc
import random
import selectors
import time
import tracemalloc
from abc import ABC, abstractmethod
from collections.abc import Callable
from heapq import heapify, heappop, heappush
from math import inf
from typing import NamedTuple

from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

Sample = dict[str, float]

SIZES = {1000: "1k", 10_000: "10k", 100_000: "100k", 1_000_000: "1m"}
SPAN_MS = 10_000
WARM = 30_000  # minimum number of timers in one measurement: smaller ones are repeated


class Spent(NamedTuple):
    """The time of N additions, N/2 cancellations and N/2 expiries."""

    add_s: float
    cancel_s: float
    expire_s: float


class Timers(ABC):
    """A timer for each of a list of delays."""

    size_max = 1_000_000

    @abstractmethod
    def __init__(self, delays_ms: list[int]) -> None:
        """Prepare what is not measured."""

    @abstractmethod
    def spend(self) -> Spent:
        """Add, cancel and expire."""

    @abstractmethod
    def bytes_added(self) -> int:
        """Only add, and count the allocations."""


class ScriptedTimers(Timers):
    """Timers without an event loop of their own."""

    def spend(self) -> Spent:
        """Measure the three steps one after the other."""
        spent = Spent(seconds(self.add), seconds(self.cancel), seconds(self.expire))
        self.verify()
        return spent

    def bytes_added(self) -> int:
        """Measure memory before and after."""
        gc.collect()
        tracemalloc.start()
        self.add()
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        return size

    @abstractmethod
    def add(self) -> None:
        """Add all timers."""

    @abstractmethod
    def cancel(self) -> None:
        """Cancel every second timer."""

    @abstractmethod
    def expire(self) -> None:
        """Let the other timers expire."""

    @abstractmethod
    def verify(self) -> None:
        """Assert that all of them expired."""


class Counting(TimerTask):
    """Counts its runs."""

    __slots__ = ("ran",)

    def __init__(self, delay_ms: int, ran: list[int]) -> None:
        super().__init__(delay_ms)
        self.ran = ran

    def run(self) -> None:
        """Count."""
        self.ran[0] += 1


class Ours(ScriptedTimers):
    """`SystemTimer`."""

    def __init__(self, delays_ms: list[int]) -> None:
        self.now_ms = 0.0
        self.ran = [0]
        self.timer = SystemTimer("ours", now_ms=lambda: self.now_ms)
        self.tasks = [Counting(delay_ms, self.ran) for delay_ms in delays_ms]

    def add(self) -> None:
        """Add all timers."""
        add = self.timer.add
        for task in self.tasks:
            add(task)

    def cancel(self) -> None:
        """Cancel every second timer."""
        for task in self.tasks[::2]:
            task.cancel()

    def expire(self) -> None:
        """Advance from bucket to bucket."""
        timer = self.timer
        while (next_ms := timer.next_expiration_ms) < inf:
            self.now_ms = next_ms
            timer.advance_clock(0)

    def verify(self) -> None:
        """Assert the count."""
        assert self.ran == [len(self.tasks) // 2]


class HeapTask:
    """A task that remains in a heap until its time, even if cancelled."""

    __slots__ = ("delay_ms", "is_cancelled", "ran")

    def __init__(self, delay_ms: int, ran: list[int]) -> None:
        self.delay_ms = delay_ms
        self.ran = ran
        self.is_cancelled = False

    def run(self) -> None:
        """Count."""
        self.ran[0] += 1


class Heapq(ScriptedTimers):
    """A heap with lazy cancellation; compacted when half of it is cancelled. No locks."""

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
                except Exception as error:  # noqa: BLE001, RUF100 - as the wheel does for its tasks
                    print(error)

    def add(self) -> None:
        """Add all timers."""
        for task in self.tasks:
            self._add(task)

    def cancel(self) -> None:
        """Cancel every second timer."""
        for task in self.tasks[::2]:
            self._cancel(task)

    def expire(self) -> None:
        """Advance from task to task."""
        while self.heap:
            self.now_ms = self.heap[0][0]
            self._advance_clock()

    def verify(self) -> None:
        """Assert the count."""
        assert self.ran == [len(self.tasks) // 2]


class JumpingSelector(selectors.SelectSelector):
    """Does not wait: a requested wait advances the clock."""

    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """No input ever arrives."""
        self.now_s += timeout or 0.0
        return []


class Asyncio(ScriptedTimers):
    """`call_later` on a loop whose clock jumps."""

    def __init__(self, delays_ms: list[int]) -> None:
        self.ran = 0
        selector = JumpingSelector()
        self.loop = asyncio.SelectorEventLoop(selector)
        self.loop.time = lambda: selector.now_s  # type: ignore[method-assign] # simulated
        self.delays_s = [delay_ms / 1000 for delay_ms in delays_ms]

    def _run(self) -> None:
        self.ran += 1

    def add(self) -> None:
        """Add all timers."""
        call_later, run = self.loop.call_later, self._run
        self.handles = [call_later(delay_s, run) for delay_s in self.delays_s]

    def cancel(self) -> None:
        """Cancel every second timer."""
        for handle in self.handles[::2]:
            handle.cancel()

    def expire(self) -> None:
        """Run until all have expired."""
        self.loop.call_later(SPAN_MS / 1000 + 1, self.loop.stop)
        self.loop.run_forever()

    def verify(self) -> None:
        """Assert the count."""
        self.loop.close()
        assert self.ran == len(self.delays_s) // 2

    def bytes_added(self) -> int:
        """Measure memory, and close the loop, which does not run."""
        size = super().bytes_added()
        self.loop.close()
        return size


def measure(timers: type[Timers], size: int, scale: float) -> Sample:
    """Nanoseconds per operation, and bytes per pending timer without the task itself."""
    count = int(size * scale)
    draw = random.Random(1)
    delays_ms = [draw.randint(1, SPAN_MS) for _ in range(count)]
    spent: list[Spent] = []
    while len(spent) * count < WARM * scale:
        spent.append(timers(delays_ms).spend())
        gc.collect()
    add_ns = min(part.add_s for part in spent) / count * 1e9
    cancel_ns = min(part.cancel_s for part in spent) / (count / 2) * 1e9
    expire_ns = min(part.expire_s for part in spent) / (count / 2) * 1e9
    name = f"timers_{SIZES[size]}"
    return {
        f"{name}_add_ns": add_ns,
        f"{name}_cancel_ns": cancel_ns,
        f"{name}_expire_ns": expire_ns,
        f"{name}_add_and_cancel_ns": add_ns + cancel_ns,
        f"{name}_add_and_expire_ns": add_ns + expire_ns,
        f"{name}_bytes_per_op": timers(delays_ms).bytes_added() / count,
    }


def seconds(work: Callable[[], object]) -> float:
    """Return the duration of *work*."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started
