"""How late a timer runs its tasks, by the number of pending ones."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.atlas.experiment import Experiment
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from tests.purgatories.manual_clock import ManualClock

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICK_MS = 1
SPAN_MS = 600_000.0
ROUNDING_MS = 1e-6  # of sums of fractional milliseconds


class Row(NamedTuple):
    """The lateness of the tasks of one timer, in ms."""

    pending: int
    min_ms: float
    mean_ms: float
    max_ms: float
    demotions: float


class _Task(TimerTask):
    """Keeps how late it has run."""

    __slots__ = ("due_ms", "late_ms", "now_ms")

    def __init__(self, delay_ms: float, now_ms: ManualClock) -> None:
        super().__init__(delay_ms)
        self.now_ms = now_ms
        self.due_ms = now_ms() + delay_ms
        self.late_ms = float("nan")

    def run(self) -> None:
        """Measure."""
        self.late_ms = self.now_ms() - self.due_ms


def measure(size: int) -> list[Row]:
    """*size* timers: the first has 1000 pending tasks, and each other ten times as many."""
    return [_expire(1000 * 10**power) for power in range(size)]


def _expire(pending: int) -> Row:
    draw, clock = random.Random(1), ManualClock(0.25)
    timer = SystemTimer("lateness", now_ms=clock, tick_ms=TICK_MS)
    tasks = [_Task(draw.random() * SPAN_MS, clock) for _ in range(pending)]
    for task in tasks:
        timer.add(task)
    clock.advance_to(SPAN_MS + 2 * TICK_MS, timer)
    late_ms = [task.late_ms for task in tasks]
    demotions = timer._counter.demotions  # noqa: SLF001 - not among the timer's public counts
    return Row(pending, min(late_ms), sum(late_ms) / pending, max(late_ms), demotions / pending)


def check(rows: list[Row]) -> None:
    """No task is early or later than a tick, and no task moves more often than there are levels."""
    for row in rows:
        assert row.min_ms >= -ROUNDING_MS, row
        assert row.max_ms <= TICK_MS + ROUNDING_MS, row
        assert row.demotions < 5, row


def plot(axes: Axes, rows: list[Row]) -> None:
    """Minimum, mean and maximum by the number of pending tasks."""
    pending = [row.pending for row in rows]
    axes.plot(pending, [row.max_ms for row in rows], "^-", label="maximum")
    axes.plot(pending, [row.mean_ms for row in rows], "o-", label="mean")
    axes.plot(pending, [row.min_ms for row in rows], "s-", label="minimum")
    axes.set_xscale("log")
    axes.set_ylim(-0.1, 1.5)
    axes.set_xlabel("pending tasks")
    axes.set_ylabel("lateness, ms")
    axes.legend()


EXPERIMENT = Experiment(
    "expiry_lateness",
    "Lateness of expiry",
    "The timing wheel runs no task early, and none later than one tick, whatever the number of "
    "pending tasks.",
    f"Tasks with delays of up to {SPAN_MS / 60_000:.0f} minutes wait in one timer whose tick is "
    f"{TICK_MS} ms, and the clock advances from bucket to bucket. The mean lateness is half a "
    "tick, since expirations are rounded up to whole ticks; the time that running the tasks takes "
    "is not included.",
    ("pending tasks", "min, ms", "mean, ms", "max, ms", "demotions of a task"),
    measure,
    check,
    plot,
    size=4,
    small_size=2,
    size_unit="powers of ten",
)
