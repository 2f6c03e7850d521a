"""The memory of an operation that waits in a purgatory, by the number of its keys."""

from __future__ import annotations

import gc
import tracemalloc
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.atlas.experiment import Experiment
from benchmarks.purgatory_trio import TrioTasks
from purgatories.delayed_operation import DelayedOperation
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer

if TYPE_CHECKING:
    from matplotlib.axes import Axes

KEYS = (1, 3, 10)
DISTINCT_KEYS = 100
DELAY_MS = 60_000
OPERATION, TASK = "operation", "trio task"


class Row(NamedTuple):
    """Bytes of one wait; a task has no keys."""

    kind: str
    keys: int
    waiting: int
    bytes: float


class _Operation(DelayedOperation):
    """Only expires."""

    __slots__ = ()

    def try_complete(self) -> bool:
        """Wait."""
        return False

    def on_complete(self) -> None:
        """Do nothing."""


def measure(size: int) -> list[Row]:
    """*size* operations with each number of keys, and *size* tasks that sleep."""
    rows = [Row(OPERATION, keys, size, _bytes_of_operations(size, keys) / size) for keys in KEYS]
    tasks = TrioTasks([DELAY_MS] * size)
    return [*rows, Row(TASK, 0, size, tasks.bytes_added() / size)]


def _bytes_of_operations(count: int, keys: int) -> int:
    timer = SystemTimer("bytes", now_ms=lambda: 0.0)
    purgatory = DelayedOperationPurgatory[_Operation]("bytes", timer)
    gc.collect()
    tracemalloc.start()
    for number in range(count):
        watched = [(number + key) % DISTINCT_KEYS for key in range(keys)]
        purgatory.try_complete_else_watch(_Operation(DELAY_MS), watched)
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return size


def check(rows: list[Row]) -> None:
    """Each key adds less than the operation itself, and a task takes more than all of it."""
    operations = [row for row in rows if row.kind == OPERATION]
    [task] = [row for row in rows if row.kind == TASK]
    for fewer, more in pairwise(operations):
        assert fewer.bytes < more.bytes, (fewer, more)
        assert (more.bytes - fewer.bytes) / (more.keys - fewer.keys) < operations[0].bytes
    assert task.bytes > 2 * operations[0].bytes, (task, operations[0])


def plot(axes: Axes, rows: list[Row]) -> None:
    """A bar for each row."""
    labels = [f"{row.keys} keys" if row.keys else row.kind for row in rows]
    axes.bar(labels, [row.bytes for row in rows], color="#0969da")
    axes.set_ylabel("bytes of one wait")


EXPERIMENT = Experiment(
    "operation_bytes",
    "The memory of an operation",
    "An operation in a purgatory takes less than half of the memory of a trio task that sleeps, "
    "and each of its keys adds less than the operation itself.",
    f"Operations without fields of their own wait on some of {DISTINCT_KEYS} keys and in the "
    "timer; the allocations are counted by `tracemalloc` and include the operation, its "
    "timer entry and its places in the watch lists. A task that sleeps until its timeout, with a "
    "cancel scope, is measured in the same way; it watches no key.",
    ("wait", "keys", "waiting", "bytes of one"),
    measure,
    check,
    plot,
    size=20_000,
    small_size=2000,
    size_unit="waits of each kind",
    is_virtual=False,
)
