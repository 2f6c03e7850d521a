"""The cost of a timer: our wheel, Kafka's, a heap, asyncio and a trio task for each timer."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchmarks import purgatory_timers
from benchmarks.atlas.experiment import Experiment
from benchmarks.kafka_timers import kafka_timers
from benchmarks.purgatory_timers import SIZES, Asyncio, Heapq, Ours, Timers
from benchmarks.purgatory_trio import TrioTasks
from integration.kafka.jars import KAFKA_VERSION, missing_for_a_jvm

if TYPE_CHECKING:
    from matplotlib.axes import Axes

WHEEL, TASK = "timing wheel", "trio task"
KAFKA = f"Kafka {KAFKA_VERSION}'s SystemTimer"
KINDS: dict[str, type[Timers]] = {
    WHEEL: Ours,
    "heapq": Heapq,
    "asyncio.call_later": Asyncio,
    TASK: TrioTasks,
}
FEWER_TASKS = 10  # a trio task is measured with a tenth of the largest number of timers


class Row(NamedTuple):
    """Nanoseconds of an operation, and bytes of a pending timer.

    The expiry of Kafka's timer is not measured, because it has no simulated time.
    """

    timers: str
    pending: int
    add_ns: float
    cancel_ns: float
    expire_ns: float | None
    pending_bytes: float


def measure(size: int) -> list[Row]:
    """Each kind of timer with *size* numbers of pending ones, from 1000, ten times as many each."""
    pending = list(SIZES)[:size]
    rows = [
        _measure(name, count)
        for name in KINDS
        for count in pending
        if name != TASK or count * FEWER_TASKS <= pending[-1]
    ]
    return [*rows, *_kafka(pending)]


def _measure(name: str, count: int) -> Row:
    sample = purgatory_timers.measure(KINDS[name], count, 1.0)
    prefix = f"timers_{SIZES[count]}"
    columns = ("add_ns", "cancel_ns", "expire_ns", "bytes_per_op")
    return Row(name, count, *(sample[f"{prefix}_{column}"] for column in columns))


def _kafka(pending: Sequence[int]) -> list[Row]:
    missing = missing_for_a_jvm()
    if missing is not None:
        print(f"without Kafka's timer: {missing}", file=sys.stderr)
        return []
    return [
        Row(KAFKA, count, cost.add_ns, cost.cancel_ns, None, cost.pending_bytes)
        for count, cost in kafka_timers(pending).items()
    ]


def check(rows: list[Row]) -> None:
    """A task costs several times as much as an entry of the wheel, in time and memory."""
    tasks = [row for row in rows if row.timers == TASK]
    assert tasks
    for task in tasks:
        [ours] = [row for row in rows if (row.timers, row.pending) == (WHEEL, task.pending)]
        assert task.add_ns + task.cancel_ns > 3 * (ours.add_ns + ours.cancel_ns), (task, ours)
        assert task.pending_bytes > 5 * ours.pending_bytes, (task, ours)


def plot(axes: Axes, rows: list[Row]) -> None:
    """The cost of an addition and a cancellation by the number of pending timers."""
    for name, marker in zip((*KINDS, KAFKA), "osx^D", strict=True):
        chosen = [row for row in rows if row.timers == name]
        if chosen:
            axes.plot(
                [row.pending for row in chosen],
                [(row.add_ns + row.cancel_ns) / 1000 for row in chosen],
                f"{marker}-",
                label=name,
            )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("pending timers")
    axes.set_ylabel("add and cancel, µs")
    axes.set_ylim(top=30_000)  # room for the legend
    axes.legend(fontsize=8, ncols=2, loc="upper left")


EXPERIMENT = Experiment(
    "timer_cost",
    "The cost of a timer",
    "A timer in the wheel costs several times less than a trio task that sleeps, in time and in "
    "memory.",
    "Timers with delays of up to 10 s are added, every second one is cancelled, and the others "
    "expire in simulated time; the durations depend on the machine and its load, so only their "
    "ratios are meaningful. A heap, which CPython implements in C, is faster than the wheel, which "
    "is Python code, at adding and cancelling; the next experiment compares their steps. Kafka's "
    "timer has the same algorithm, compiled by the JVM; its expiry is not measured, because its "
    "time cannot be simulated.",
    ("timers", "pending", "add, ns", "cancel, ns", "expire, ns", "bytes of one"),
    measure,
    check,
    plot,
    size=4,
    small_size=2,
    size_unit="powers of ten",
    is_virtual=False,
)
