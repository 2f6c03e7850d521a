"""How late the reaper runs tasks in real time, by the number of pending ones."""

from __future__ import annotations

import gc
import random
import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

import trio

from benchmarks.atlas.experiment import Experiment
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.trio_reaper import run_reaper

if TYPE_CHECKING:
    from matplotlib.axes import Axes

PROBES = 500
SPAN_MS = 2000.0  # in which the probes expire
HOUR_MS = 3_600_000.0  # the longest delay of the other tasks
LATE_SHARE = 0.95


class Row(NamedTuple):
    """The lateness of the probes of one timer, in ms."""

    pending: int
    min_ms: float
    median_ms: float
    late_ms: float


class _Probe(TimerTask):
    """Keeps how late it has run."""

    __slots__ = ("due_ms", "late_ms")

    def __init__(self, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self.due_ms = _now_ms() + delay_ms
        self.late_ms = float("nan")

    def run(self) -> None:
        """Measure."""
        self.late_ms = _now_ms() - self.due_ms


def _now_ms() -> float:
    return time.perf_counter() * 1000


def measure(size: int) -> list[Row]:
    """*size* timers: the first has 1000 pending tasks, and each other ten times as many."""
    gc.collect()
    return [trio.run(_expire, 1000 * 10**power) for power in range(size)]


async def _expire(pending: int) -> Row:
    draw = random.Random(1)
    timer = SystemTimer("lateness", now_ms=_now_ms)
    for _ in range(pending):
        timer.add(TimerTask(draw.uniform(SPAN_MS, HOUR_MS)))
    gc.freeze()  # as the broker after its start
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, timer)
        probes = []
        for _ in range(PROBES):
            probe = _Probe(draw.uniform(100, SPAN_MS))
            timer.add(probe)
            probes.append(probe)
        await trio.sleep(SPAN_MS / 1000 + 0.5)
        nursery.cancel_scope.cancel()
    gc.unfreeze()
    late_ms = sorted(probe.late_ms for probe in probes)
    return Row(pending, late_ms[0], median(late_ms), late_ms[int(LATE_SHARE * len(late_ms))])


def check(rows: list[Row]) -> None:
    """No task is early, and a thousand times as many pending tasks do not make them later."""
    for row in rows:
        assert row.min_ms >= 0, row
    medians = [row.median_ms for row in rows]
    assert max(medians) < 5 * min(medians), medians


def plot(axes: Axes, rows: list[Row]) -> None:
    """The median and the 95th percentile by the number of pending tasks."""
    pending = [row.pending for row in rows]
    axes.plot(pending, [row.late_ms for row in rows], "^-", label="95th percentile")
    axes.plot(pending, [row.median_ms for row in rows], "o-", label="median")
    axes.plot(pending, [row.min_ms for row in rows], "s-", label="minimum")
    axes.set_xscale("log")
    axes.set_ylim(0)
    axes.set_xlabel("pending tasks")
    axes.set_ylabel("lateness, ms")
    axes.legend()


EXPERIMENT = Experiment(
    "expiry_measured",
    "Lateness of expiry in real time",
    "In real time, too, the lateness of an expiry does not depend on the number of pending tasks.",
    f"{PROBES} tasks expire within {SPAN_MS / 1000:.0f} s, driven by the broker's reaper, while "
    "the others wait for up to an hour. The lateness includes the rounding to whole ticks of "
    "1 ms, Kafka's, the wake-up of the process and the load of the machine.",
    ("pending tasks", "min, ms", "median, ms", "95th percentile, ms"),
    measure,
    check,
    plot,
    size=4,
    small_size=2,
    size_unit="powers of ten",
    is_virtual=False,
)
