"""Measures our timer and purgatory alone, with the figures that Kafka's classes are measured by.

Each part is a function of a scale and returns named figures; `PurgatoryBenchmark.java` does the
same with the same numbers.
"""

from __future__ import annotations

import gc
import random
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import trio

from benchmarks.benchmark import percentile
from purgatories.delayed_operation import DelayedOperation
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.reaper import ExpiredOperationReaper
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.trio_reaper import run_reaper

Sample = dict[str, float]
Purgatory = DelayedOperationPurgatory[Any]

ROUND = 10_000
WATCHED = ((1, 1), (10, 1), (10, 3), (1000, 1), (1000, 3))
SLICE = 100  # additions between two readings of the clock: a request handler's batch


class Operation(DelayedOperation):
    """Completes when its flag is set."""

    __slots__ = ("ready",)

    def __init__(self, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self.ready = False

    def try_complete(self) -> bool:
        """Complete if the flag is set."""
        return self.ready and self.force_complete()

    def on_complete(self) -> None:
        """Do nothing."""


class Lateness:
    """The lateness of each of ``expected`` operations."""

    def __init__(self, expected: int) -> None:
        self.values_ms: list[float] = []
        self.complete = trio.Event()
        self._expected = expected

    def note(self, late_ms: float) -> None:
        """Add the lateness of an expired operation."""
        self.values_ms.append(late_ms)
        if len(self.values_ms) == self._expected:
            self.complete.set()

    def summary(self, name: str) -> Sample:
        """Minimum, median, 99th percentile and maximum; below 0 is early."""
        return {
            f"{name}_lateness_min_ms": min(self.values_ms),
            f"{name}_lateness_p50_ms": percentile(self.values_ms, 50),
            f"{name}_lateness_p99_ms": percentile(self.values_ms, 99),
            f"{name}_lateness_max_ms": max(self.values_ms),
        }


class Expiring(Operation):
    """Records its lateness."""

    __slots__ = ("created_ms", "lateness")

    def __init__(self, delay_ms: float, lateness: Lateness) -> None:
        super().__init__(delay_ms)
        self.lateness = lateness
        self.created_ms = now_ms()

    def on_expiration(self) -> None:
        """Record the lateness."""
        self.lateness.note(now_ms() - self.created_ms - self.delay_ms)


def now_ms() -> float:
    """Monotonic milliseconds."""
    return time.monotonic() * 1000


def new_purgatory() -> Purgatory:
    """Make a purgatory without a reaper."""
    return DelayedOperationPurgatory("benchmark", SystemTimer("benchmark", now_ms=now_ms))


def seconds(work: Callable[[], object]) -> float:
    """Return the duration of *work*."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def timer(scale: float) -> Sample:
    """The loop of additions alone, then the loop of cancellations."""
    count = int(1_000_000 * scale)
    wheel = SystemTimer("benchmark", now_ms=now_ms)
    draw = random.Random(1)
    tasks = [TimerTask(draw.randint(1, 10_000)) for _ in range(count)]

    def add_all() -> None:
        add = wheel.add
        for task in tasks:
            add(task)

    def cancel_all() -> None:
        for task in tasks:
            task.cancel()

    return {
        "timer_add_ops_s": count / seconds(add_all),
        "timer_cancel_ops_s": count / seconds(cancel_all),
    }


def watch_and_complete(scale: float) -> Sample:
    """Rounds of operations on W of K keys: all watch, then each key is checked once."""
    sample: Sample = {}
    for keys, watched in WATCHED:
        rounds = max(1, int(40 * scale))
        count = rounds * ROUND
        watch_s, complete_s = watch_and_complete_s(keys, watched, rounds)
        name = f"purg_{keys}keys_{watched}watched"
        sample[f"{name}_watch_ops_s"] = count / watch_s
        sample[f"{name}_complete_ops_s"] = count / complete_s
        sample[f"{name}_cycle_ops_s"] = count / (watch_s + complete_s)
    return sample


def watch_and_complete_s(key_count: int, watched: int, rounds: int) -> tuple[float, float]:
    """Return the seconds of watching and of checking in *rounds* of ``ROUND`` operations."""
    purgatory = new_purgatory()
    keys = [("topic", partition) for partition in range(key_count)]
    choices = [
        [keys[(number * 7 + other) % key_count] for other in range(watched)]
        for number in range(ROUND)
    ]
    watch_s = complete_s = 0.0
    for _ in range(rounds):
        operations = [Operation(60_000) for _ in range(ROUND)]

        def watch_all(operations: list[Operation] = operations) -> None:
            watch = purgatory.try_complete_else_watch
            for operation, chosen in zip(operations, choices, strict=True):
                watch(operation, chosen)

        def check_all() -> None:
            check = purgatory.check_and_complete
            for key in keys:
                check(key)

        watch_s += seconds(watch_all)
        for operation in operations:
            operation.ready = True
        complete_s += seconds(check_all)
        assert purgatory.num_delayed() == 0
        purgatory.purge_if_due()
    return watch_s, complete_s


def checks(scale: float) -> Sample:
    """Checks that complete nothing."""
    sample: Sample = {}
    for pending in (1, 1000):
        purgatory = new_purgatory()
        for _ in range(pending):
            purgatory.try_complete_else_watch(Operation(60_000), ["key"])
        checks = int(1_000_000 * scale)
        times = checks // pending
        elapsed = seconds(partial(_repeat, times, partial(purgatory.check_and_complete, "key")))
        sample[f"check_{pending}pending_ns_per_op"] = elapsed / (times * pending) * 1e9
    times = int(1_000_000 * scale)
    unwatched = partial(new_purgatory().check_and_complete, "key")
    sample["check_unwatched_ns"] = seconds(partial(_repeat, times, unwatched)) / times * 1e9
    return sample


def _repeat(times: int, work: Callable[[], object]) -> None:
    for _ in range(times):
        work()


def memory(scale: float) -> Sample:
    """Live bytes per pending operation: the operation, its timer entry, its watch entries."""
    count = int(100_000 * scale)
    sample: Sample = {}
    for watched in (1, 3):
        purgatory = new_purgatory()
        keys = [("topic", partition) for partition in range(1000)]
        gc.collect()
        tracemalloc.start()
        for number in range(count):
            chosen = [keys[(number + other) % 1000] for other in range(watched)]
            purgatory.try_complete_else_watch(Operation(60_000), chosen)
        sample[f"mem_bytes_per_op_{watched}watched"] = tracemalloc.get_traced_memory()[0] / count
        tracemalloc.stop()
    return sample


def expiry(scale: float) -> Sample:
    """Lateness of expiry, with the trio reaper as in the broker, and with a thread as in Kafka."""
    return {
        **trio.run(_expiry, "expiry_100k", int(100_000 * scale)),
        **trio.run(_expiry, "expiry_1k", 1000),
        **_expiry_by_thread("expiry_1k_thread", 1000),
    }


def _expiry_by_thread(name: str, count: int) -> Sample:
    purgatory = new_purgatory()
    lateness = Lateness(count)
    reaper = ExpiredOperationReaper("reaper", purgatory.timer, purgatory.purge_if_due)
    reaper.start()
    draw = random.Random(1)
    for number in range(count):
        purgatory.try_complete_else_watch(Expiring(draw.randint(1, 2000), lateness), [number])
    while not lateness.complete.is_set():
        time.sleep(0.05)
    reaper.close()
    return lateness.summary(name)


async def _expiry(name: str, count: int) -> Sample:
    purgatory = new_purgatory()
    lateness = Lateness(count)
    draw = random.Random(1)
    cpu = time.process_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, purgatory.timer, purgatory.purge_if_due)
        await trio.lowlevel.checkpoint()
        started_ms = now_ms()
        for number in range(count):
            if number % SLICE == 0:
                await trio.lowlevel.checkpoint()
            operation = Expiring(draw.randint(1, 2000), lateness)
            purgatory.try_complete_else_watch(operation, [number % 1000])
        add_ms = now_ms() - started_ms
        await lateness.complete.wait()
        nursery.cancel_scope.cancel()
    return {
        **lateness.summary(name),
        f"{name}_add_ms": add_ms,
        f"{name}_cpu_s": time.process_time() - cpu,
    }


PARTS = (timer, watch_and_complete, checks, memory, expiry)
