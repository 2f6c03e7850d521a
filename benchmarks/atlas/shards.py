"""How often threads find the lock of a shard taken, by the number of shards."""

from __future__ import annotations

import random
import sys
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.atlas.experiment import Experiment
from purgatories.purgatory import SHARDS, DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import MockOperation

if TYPE_CHECKING:
    from matplotlib.axes import Axes

THREADS = 4
KEYS = 1000
COUNTS = (1, 8, 64, SHARDS)
SWITCH_INTERVAL_S = 5e-6  # a thousandth of the default, so that threads meet often


class Row(NamedTuple):
    """The acquisitions of the locks of all shards, and how many found the lock taken."""

    shards: int
    acquisitions: int
    taken: int
    per_mille: float


class _CountingLock:
    """A lock that counts; the counts are changed only while it is held."""

    def __init__(self) -> None:
        self._inner = Lock()
        self.acquisitions = self.taken = 0

    def __enter__(self) -> None:
        was_free = self._inner.acquire(blocking=False)
        if not was_free:
            self._inner.acquire()
        self.acquisitions += 1
        self.taken += not was_free

    def __exit__(self, *_error: object) -> None:
        self._inner.release()


def measure(size: int) -> list[Row]:
    """*size* operations that each thread adds and completes, for each number of shards."""
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        return [_run(shards, size) for shards in COUNTS]
    finally:
        sys.setswitchinterval(interval_s)


def _run(shards: int, size: int) -> Row:
    timer = SystemTimer("shards", now_ms=lambda: 0.0)
    purgatory = DelayedOperationPurgatory[MockOperation]("shards", timer, shards=shards)
    locks = [_CountingLock() for _ in range(shards)]
    for shard, lock in zip(purgatory._shards, locks, strict=True):  # noqa: SLF001 - counted here
        replaced: Any = shard
        replaced.lock = lock

    def work(seed: int) -> None:
        draw = random.Random(seed)
        for _ in range(size):
            key, operation = draw.randrange(KEYS), MockOperation()
            purgatory.try_complete_else_watch(operation, [key])
            operation.completable = True
            purgatory.check_and_complete(key)

    threads = [Thread(target=work, args=[seed]) for seed in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    acquisitions = sum(lock.acquisitions for lock in locks)
    taken = sum(lock.taken for lock in locks)
    return Row(shards, acquisitions, taken, 1000 * taken / acquisitions)


def check(rows: list[Row]) -> None:
    """Many shards are found taken less than half as often as one."""
    first, last = rows[0], rows[-1]
    assert first.taken > 0, first
    assert last.per_mille < first.per_mille / 2, (first, last)


def plot(axes: Axes, rows: list[Row]) -> None:
    """The share by the number of shards."""
    axes.plot([row.shards for row in rows], [row.per_mille for row in rows], "o-")
    axes.set_xscale("log", base=2)
    axes.set_ylim(0)
    axes.set_xlabel("shards")
    axes.set_ylabel("acquisitions that wait, of 1000")


EXPERIMENT = Experiment(
    "shards",
    "Shards under threads",
    "With more shards, threads find the lock of a shard taken less often.",
    f"{THREADS} threads add operations on {KEYS} random keys and complete them; the interpreter "
    "switches between the threads a thousand times as often as usual. With the global interpreter "
    "lock the threads do not run at the same time, so fewer waits for locks do not make them "
    "faster; the experiment shows the contention only.",
    ("shards", "acquisitions", "lock was taken", "of 1000"),
    measure,
    check,
    plot,
    size=20_000,
    small_size=5000,
    size_unit="operations of each thread",
    is_virtual=False,
)
