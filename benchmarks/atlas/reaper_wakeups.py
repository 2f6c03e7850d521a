"""How often the reaper wakes up, by the number of timers."""

from __future__ import annotations

import random
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import trio

from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.virtual import in_virtual_time
from purgatories.timer.reaper import POLL_MS
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from purgatories.timer.trio_reaper import run_reaper

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TICK_MS = 1
SPAN_MS = 60_000
LEVELS = 4  # wheels of 20 ticks that cover the span


class Row(NamedTuple):
    """Counts in one span; those of the last two columns follow from the span."""

    timers: int
    wakeups: int
    polls: int
    ticks: int


class _CountingTimer(SystemTimer):
    """Counts the calls of its reaper."""

    __slots__ = ("advances",)
    advances: int

    def advance_clock(self, timeout_ms: float) -> bool:
        """Count, and advance."""
        self.advances += 1
        return super().advance_clock(timeout_ms)


def measure(size: int) -> list[Row]:
    """No timer, one timer, and ten times as many in each of *size* further spans."""
    counts = [0, *(10**power for power in range(size + 1))]
    return [in_virtual_time(partial(_reap, count)) for count in counts]


async def _reap(count: int, _data_dir: Path) -> Row:
    draw = random.Random(1)
    timer = _CountingTimer("counting", now_ms=lambda: trio.current_time() * 1000, tick_ms=TICK_MS)
    timer.advances = 0
    async with trio.open_nursery() as nursery:
        for _ in range(count):
            timer.add(TimerTask(draw.random() * SPAN_MS))
        nursery.start_soon(run_reaper, timer)
        await trio.sleep((SPAN_MS + 2 * TICK_MS) / 1000)
        nursery.cancel_scope.cancel()
    assert timer.size == 0
    return Row(count, timer.advances, SPAN_MS // POLL_MS, SPAN_MS // TICK_MS)


def check(rows: list[Row]) -> None:
    """An idle timer makes no wake-up, and the others at most one for each move of each task."""
    assert rows[0] == (0, 0, rows[0].polls, rows[0].ticks)
    for row in rows:
        assert row.wakeups <= min(LEVELS * row.timers, row.ticks + LEVELS), row
    assert rows[1].wakeups < rows[1].polls < rows[1].ticks


def plot(axes: Axes, rows: list[Row]) -> None:
    """The counts by the number of timers."""
    timers = [row.timers for row in rows]
    axes.plot(timers, [row.wakeups for row in rows], "o-", label="wake-ups of the reaper")
    axes.plot(timers, [row.polls for row in rows], "--", label=f"polls of {POLL_MS} ms")
    axes.plot(timers, [row.ticks for row in rows], ":", label="ticks")
    axes.set_xscale("symlog", linthresh=1)
    axes.set_yscale("symlog", linthresh=1)
    axes.set_xlabel("timers in the span")
    axes.set_ylabel("count in the span")
    axes.legend()


EXPERIMENT = Experiment(
    "reaper_wakeups",
    "Wake-ups of the reaper",
    "The reaper wakes up for buckets and not for ticks: an idle timer makes no wake-up.",
    f"Timers with random delays within {SPAN_MS // 1000} s are driven by the trio reaper, whose "
    "calls of the timer are counted. A thread that polls the queue of buckets, as Kafka's does, "
    f"wakes up at least every {POLL_MS} ms, and a wheel without such a queue wakes up in each tick "
    "(both columns are calculated).",
    ("timers", "wake-ups", f"polls of {POLL_MS} ms", "ticks"),
    measure,
    check,
    plot,
    size=4,
    small_size=2,
    size_unit="powers of ten",
)
