"""The steps in the life of a timer: moves in the wheel, comparisons in a heap."""

from __future__ import annotations

import random
from heapq import heappop, heappush
from math import log2
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.atlas.experiment import Experiment
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from tests.purgatories.manual_clock import ManualClock

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SPAN_MS = 10_000


class Row(NamedTuple):
    """Means for one timer, from its addition to its expiry."""

    pending: int
    wheel_moves: float
    heap_comparisons: float


class _Entry:
    """An entry of a heap; counts how often two of them are compared."""

    comparisons = 0

    def __init__(self, expiration_ms: int) -> None:
        self.expiration_ms = expiration_ms

    def __lt__(self, other: _Entry) -> bool:
        _Entry.comparisons += 1
        return self.expiration_ms < other.expiration_ms


def measure(size: int) -> list[Row]:
    """*size* numbers of pending timers: 500, and four times as many each."""
    return [_live(500 * 4**power) for power in range(size)]


def _live(pending: int) -> Row:
    draw = random.Random(1)
    delays_ms = [draw.randint(1, SPAN_MS) for _ in range(pending)]
    return Row(pending, _moves(delays_ms) / pending, _comparisons(delays_ms) / pending)


def _moves(delays_ms: list[int]) -> int:
    clock = ManualClock()
    timer = SystemTimer("steps", now_ms=clock)
    for delay_ms in delays_ms:
        timer.add(TimerTask(delay_ms))
    clock.advance_to(SPAN_MS, timer)
    assert timer.size == 0
    demotions = timer._counter.demotions  # noqa: SLF001 - not among the timer's public counts
    return len(delays_ms) + demotions


def _comparisons(delays_ms: list[int]) -> int:
    _Entry.comparisons = 0
    heap: list[_Entry] = []
    for delay_ms in delays_ms:
        heappush(heap, _Entry(delay_ms))
    while heap:
        heappop(heap)
    return _Entry.comparisons


def check(rows: list[Row]) -> None:
    """The moves remain the same, the comparisons grow with the logarithm."""
    first, last = rows[0], rows[-1]
    doublings = log2(last.pending / first.pending)
    assert max(row.wheel_moves for row in rows) < 1.1 * min(row.wheel_moves for row in rows)
    added = last.heap_comparisons - first.heap_comparisons
    assert 0.5 * doublings < added < 2 * doublings, (first, last)


def plot(axes: Axes, rows: list[Row]) -> None:
    """Both by the number of pending timers."""
    pending = [row.pending for row in rows]
    axes.plot(pending, [row.heap_comparisons for row in rows], "s--", label="comparisons in a heap")
    axes.plot(pending, [row.wheel_moves for row in rows], "o-", label="moves in the wheel")
    axes.set_xscale("log")
    axes.set_ylim(0)
    axes.set_xlabel("pending timers")
    axes.set_ylabel("steps of one timer")
    axes.legend()


EXPERIMENT = Experiment(
    "timer_steps",
    "The steps of a timer",
    "The moves of a timer in the wheel do not depend on the number of pending ones, while the "
    "comparisons in a heap grow with its logarithm.",
    f"Timers with random delays of up to {SPAN_MS // 1000} s are added and expire. A move is an "
    "insertion into a bucket: one when the timer is added and one for each finer wheel it passes "
    "through, which depends on its delay only.",
    ("pending", "moves in the wheel", "comparisons in a heap"),
    measure,
    check,
    plot,
    size=5,
    small_size=3,
    size_unit="numbers of pending timers",
)
