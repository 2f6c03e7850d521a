"""The cost of the log compared with plain files, its start, and the memory of idle partitions.

No server runs: each figure is measured on `broker.storage` alone, in a process of its own, because
memory and caches of another figure would distort it. TMPDIR selects the disk. Targets are part of
the units.

An append checks every record, as Kafka does: its length, offset and timestamp, and whether it has a
key. In Python this is the cost of a batch with many records, and the reason why it is slower than
half the speed of a plain file: records of one size are checked a column at a time, all others one
by one. The same is also measured with the compiled build; that needs a C compiler.

The share of the system call in a fetch at the log's end is the most that a copy of recent batches
in memory could save there; the cost of the copy for each append is beside it.
"""

from __future__ import annotations

import multiprocessing
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from benchmarks import storage_work as work
from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.builds import compiled_packages
from benchmarks.systems import System

Measure = Callable[[Path], float]

_RATIO = partial(Metric, unit="of plain files, >= 0.5", better="higher")
_SECONDS = partial(Metric, better="lower")
_RECORDS = (1, 16, 160)
_APPENDS = {records: _RATIO(f"append 16 KB, {records} records a batch") for records in _RECORDS}
_UNLIKE = _RATIO("append 16 KB, 160 records of differing sizes a batch")
_COMPILED = {metric: _RATIO(f"{metric.name}, compiled") for metric in (*_APPENDS.values(), _UNLIKE)}
CANNOT_COMPILE = shutil.which("cc") is None
_TAIL = Metric("a fetch of the last 16 KB: the system call", "of the fetch")
_COPY = Metric("a copy of 16 KB", "of that system call")
_COLD = _RATIO("fetch 1 MB at a time, cold")
_CACHED = _RATIO("fetch 1 MB at a time, in the page cache")
_RESTART = _SECONDS("restart, 1000 partitions, 10 GB, clean", unit="s, <= 2")
_RECOVERY = _SECONDS("recovery after a crash, 1 GB", unit="s, <= 5")
_COLD_RECOVERY = _SECONDS("recovery after a crash, 1 GB, cold", unit="s, <= 5")
_IDLE = Metric("memory of an idle partition, of 5000", "bytes, <= 8192")


def measure(system: System, scale: float) -> Sample:
    """Measure every figure once; a *scale* below 1 uses less data."""
    if system.name != "ours":
        return {}

    def size(number: int) -> int:
        return max(1, int(number * scale))

    sample: dict[str, float] = {}
    figures: dict[Metric, Measure] = {
        metric: partial(work.append_ratio, megabytes=size(256), records=records)
        for records, metric in _APPENDS.items()
    }
    figures[_UNLIKE] = partial(
        work.append_ratio, megabytes=size(256), records=max(_RECORDS), alike=False
    )
    if not CANNOT_COMPILE:
        with _compiled_packages():
            sample = {
                compiled.name: _alone(figures[metric]) for metric, compiled in _COMPILED.items()
            }
    figures[_TAIL] = partial(work.tail_share, fetches=size(10_000))
    figures[_COPY] = partial(work.copy_share, copies=size(10_000))
    figures[_COLD] = partial(work.fetch_ratio, megabytes=size(512), cold=True)
    figures[_CACHED] = partial(work.fetch_ratio, megabytes=size(512), cold=False)
    figures[_RESTART] = partial(work.restart_seconds, partitions=size(1000), megabytes=size(10_240))
    figures[_RECOVERY] = partial(work.recovery_seconds, megabytes=size(1024), cold=False)
    figures[_COLD_RECOVERY] = partial(work.recovery_seconds, megabytes=size(1024), cold=True)
    figures[_IDLE] = partial(work.partition_bytes, partitions=size(5000))
    return sample | {metric.name: _alone(figure) for metric, figure in figures.items()}


@contextmanager
def _compiled_packages() -> Iterator[None]:
    """Child processes use the compiled build meanwhile."""
    folder = compiled_packages()
    assert folder is not None
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _alone(figure: Measure) -> float:
    with (
        tempfile.TemporaryDirectory(prefix="antechamber-storage-") as folder,
        multiprocessing.get_context("spawn").Pool(1) as pool,
    ):
        return pool.apply(figure, (Path(folder),))


BENCHMARK = Benchmark(
    "storage",
    (
        *_APPENDS.values(),
        _UNLIKE,
        *_COMPILED.values(),
        _TAIL,
        _COPY,
        _COLD,
        _CACHED,
        _RESTART,
        _RECOVERY,
        _COLD_RECOVERY,
        _IDLE,
    ),
    measure,
    nodes=0,
    heavy=True,
)
