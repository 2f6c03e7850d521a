"""The model of Kafka's TestPurgatoryPerformance, with the completion time drawn from the latency.

    arrivals (Poisson) --> try_complete_else_watch --+--> latency < timeout: a second thread
                                                     |    completes it by force_complete
                                                     +--> else it expires, in the reaper's thread
This is the Scala original (up to Kafka 3.9); its Java port completes everything at the timeout.
"""

from __future__ import annotations

import heapq
import random
import time
from dataclasses import dataclass
from math import exp, inf, log
from statistics import NormalDist
from threading import Condition, Thread

from benchmarks.purgatory_ours import Operation, Sample, new_purgatory, now_ms
from purgatories.timer.reaper import ExpiredOperationReaper

UPPER_QUARTILE = NormalDist().inv_cdf(0.75)  # 0.674490 standard deviations


@dataclass(frozen=True)
class Model:
    """The options of TestPurgatoryPerformance."""

    requests: int
    rate: float
    timeout_ms: int = 1000
    pct50_ms: float = 0.5
    pct75_ms: float = 0.75
    keys: int = 3
    key_space_size: int = 100


def measure(scale: float) -> Sample:
    """Run at 5000 requests a second, and without a limit."""
    steady = run(Model(int(20_000 * scale), 5000.0))
    fastest = run(Model(int(300_000 * scale), inf))
    return {
        **{f"model_5000s_{name}": value for name, value in steady.items()},
        **{f"model_max_{name}": value for name, value in fastest.items()},
    }


def run(model: Model) -> Sample:
    """Run the model once."""
    draw = random.Random(1)
    sigma = (log(model.pct75_ms) - log(model.pct50_ms)) / UPPER_QUARTILE
    gaps_ms = [draw.expovariate(model.rate) * 1000 for _ in range(model.requests)]
    latencies_ms = [exp(draw.gauss(log(model.pct50_ms), sigma)) for _ in range(model.requests)]
    keys = [f"topic{draw.randrange(model.key_space_size)}" for _ in range(model.keys)]
    purgatory = new_purgatory()
    reaper = ExpiredOperationReaper("reaper", purgatory.timer, purgatory.purge_if_due)
    completions = CompletionQueue()
    operations = []
    cpu, started_ms = time.process_time(), now_ms()
    reaper.start()
    completions.start()
    arrival_ms = started_ms
    for gap_ms, latency_ms in zip(gaps_ms, latencies_ms, strict=True):
        arrival_ms += gap_ms
        ahead_ms = arrival_ms - now_ms()
        if ahead_ms > 0:
            time.sleep(ahead_ms / 1000)
        operation = Operation(model.timeout_ms)
        operations.append(operation)
        purgatory.try_complete_else_watch(operation, keys)
        if latency_ms < model.timeout_ms:
            completions.add(now_ms() + latency_ms, operation)
    enqueued_ms = now_ms() - started_ms
    for operation in operations:
        while not operation.is_completed:
            time.sleep(0.001)
    elapsed_ms = now_ms() - started_ms
    completions.close()
    reaper.close()
    return {
        "rate_ops_s": model.requests / enqueued_ms * 1000,
        "elapsed_ms": elapsed_ms,
        "cpu_ms": (time.process_time() - cpu) * 1000,
    }


class CompletionQueue(Thread):
    """Completes each operation at its time, in a thread of its own."""

    def __init__(self) -> None:
        super().__init__(name="completions", daemon=True)
        self._heap: list[tuple[float, int, Operation | None]] = []
        self._changed = Condition()
        self._added = 0

    def add(self, moment_ms: float, operation: Operation | None) -> None:
        """Complete *operation* at *moment_ms*; None ends the thread."""
        with self._changed:
            self._added += 1
            heapq.heappush(self._heap, (moment_ms, self._added, operation))
            if self._heap[0][1] == self._added:
                self._changed.notify()

    def run(self) -> None:
        """Complete operations until closed."""
        while (operation := self._take()) is not None:
            operation.force_complete()

    def _take(self) -> Operation | None:
        with self._changed:
            while not self._heap or self._heap[0][0] > now_ms():
                wait_ms = self._heap[0][0] - now_ms() if self._heap else None
                self._changed.wait(None if wait_ms is None else max(wait_ms, 0) / 1000)
            return heapq.heappop(self._heap)[2]

    def close(self) -> None:
        """End the thread."""
        self.add(0, None)
        self.join()
