"""How many completed operations a purgatory lists, by the interval of its purges."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from benchmarks.atlas.experiment import Experiment
from purgatories.purgatory import PURGE_PAUSE_MS
from tests.purgatories.manual_clock import MockOperation, MockPurgatory

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INTERVALS = (10, 100, 500)
RATES = (1, 10)  # operations in each ms
TIMEOUT_MS = 3_600_000
TICK_MS = 1


class Row(NamedTuple):
    """Counts of one purgatory; ``bound`` follows from the settings."""

    purge_interval: int
    per_ms: int
    operations: int
    listed_max: int
    bound: int
    purges: int


def measure(size: int) -> list[Row]:
    """*size* ms of operations that complete at once, but by no event of their key."""
    return [_run(interval, rate, size) for rate in RATES for interval in INTERVALS]


def _run(interval: int, rate: int, span_ms: int) -> Row:
    mock = MockPurgatory(purge_interval=interval)
    listed_max = 0
    for now_ms in range(span_ms):
        mock.let_time_pass(now_ms)
        mock.clock.now_ms = now_ms
        for _ in range(rate):
            operation = MockOperation(TIMEOUT_MS)
            mock.watch(operation, ["key"])
            operation.force_complete()
        listed_max = max(listed_max, mock.purgatory.watched())
    bound = interval + rate * (PURGE_PAUSE_MS + 2 * TICK_MS)
    purges = mock.purgatory.statistics()["purges"]
    return Row(interval, rate, span_ms * rate, listed_max, bound, purges)


def check(rows: list[Row]) -> None:
    """The bound holds, is not far from what is reached, and does not depend on the total."""
    for row in rows:
        assert row.listed_max <= row.bound, row
        assert row.operations > 2 * row.listed_max, row
        assert row.purges > 0, row


def plot(axes: Axes, rows: list[Row]) -> None:
    """Listed operations and their bound by the interval, a colour for each rate."""
    for rate, colour in zip(RATES, ("#0969da", "#bc4c00"), strict=True):
        chosen = [row for row in rows if row.per_ms == rate]
        intervals = [row.purge_interval for row in chosen]
        listed = [row.listed_max for row in chosen]
        axes.plot(intervals, listed, "o-", color=colour, label=f"{rate} per ms")
        bounds = [row.bound for row in chosen]
        axes.plot(intervals, bounds, ":", color=colour, label=f"bound of {rate} per ms")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("purge interval")
    axes.set_ylabel("completed operations in the lists, at most")
    axes.legend()


EXPERIMENT = Experiment(
    "purge_estimate",
    "The purge estimate",
    "A purgatory lists no more completed operations than its purge interval and those of one pause "
    "between two purges.",
    "All operations have a timeout of one hour and are completed elsewhere, so only a purge "
    "removes them from their watch list. The estimate of listed operations makes the reaper purge "
    f"when the interval is exceeded, at most every {PURGE_PAUSE_MS} ms; no timer expires and no "
    "key is checked.",
    (
        "purge interval",
        "operations per ms",
        "operations",
        "listed at most",
        "bound",
        "purges",
    ),
    measure,
    check,
    plot,
    size=2000,
    small_size=1500,
    size_unit="ms",
)
