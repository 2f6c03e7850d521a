"""The table of all aims: the measured ratios, and those of bare operations.

A bare operation is what a broker in Python cannot undercut (`benchmarks.limits`), so its figure,
divided by that of Kafka, shows how far an aim is from the limit. The limit of a client is what it
reaches with the mock cluster in C, which stores nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from benchmarks.aims import AIMS
from benchmarks.benchmark import Metric
from benchmarks.every_benchmark import BENCHMARKS
from benchmarks.results import Measured
from benchmarks.table import ratio

MOCK_IN_C = "the same client and the mock cluster in C"

# The bare operation of a metric: a metric of `ours`, or the same metric of the mock cluster.
BARE: Mapping[str, str] = {
    "start to first response": "echo on trio, start",
    "resident, fresh": "echo on trio, resident",
    "serial acks=all p50": "echo on epoll p50",
    "wake-up p50": "wake-up on epoll p50",
    "end to end p50": "end to end on epoll p50",
    "5000 parked, all completed": "5000 parked on epoll, all completed",
    "produce 1 KB": MOCK_IN_C,
    "produce 100 B": MOCK_IN_C,
    "consume 1 KB": "bare broker, consume 1 KB",
    "raw fetch": "bare file by sendfile",
    "heartbeats of 1000 members, CPU": "the same number of echoes on epoll, CPU",
    "OffsetCommit p50": "echo on epoll p50",
    "share group, wake-up p50": "wake-up on epoll p50",
    "share group, end to end p50": "end to end on epoll p50",
    "3 replicas, serial acks=all p50": "chain of three on epoll, 1 KB p50",
    "3 replicas, wake-up p50": "chain of three on epoll, wake-up p50",
    "3 replicas, end to end p50": "chain of three on epoll, 1 KB p50",
    "3 replicas, 16 KB, five in flight": "chain of three on epoll, 16 KB, five in flight",
    "3 replicas, produce 1 KB": "chain of three on epoll, 1 MB, five in flight",
}

# The figures of a metric by system.
Figures = dict[str, list[float]]


def aims_lines(measured_by: Callable[[str], Measured | None]) -> Iterator[str]:
    """The lines of the table; *measured_by* returns what a benchmark has measured."""
    figures, metrics = dict[str, Figures](), dict[str, Metric]()
    for name, benchmark in BENCHMARKS.items():
        if (found := measured_by(name)) is not None:
            figures |= found["metrics"]
            metrics |= {metric.name: metric for metric in benchmark.metrics}
    yield "| | aim | measured | | bare operation | its ratio |"
    yield "| --- | ---: | ---: | --- | --- | ---: |"
    for name, by_system in AIMS.items():
        for system, aim in by_system.items():
            found_ratio = _ratio(figures, name, name, system)
            if found_ratio is not None:
                yield _row(metrics[name], system, aim, found_ratio, figures)


def is_met(metric: Metric, found: float, aim: float) -> bool:
    """Whether a ratio of *metric* is not on the wrong side of its aim."""
    return found <= aim if metric.better == "lower" else found >= aim


def shown(found: float, aim: float, met: bool) -> str:
    """A ratio with two decimals; with four if it would look like an *aim* that it misses."""
    text = f"{found:.2f}"
    return text if met or float(text) != aim else f"{found:.4f}"


def _row(metric: Metric, system: str, aim: float, found: float, figures: dict[str, Figures]) -> str:
    bare = BARE.get(metric.name, "")
    limit = _limit(figures, bare, metric.name, system)
    met = is_met(metric, found, aim)
    cells = (
        f"{metric.name}, of {system}",
        f"{'≤' if metric.better == 'lower' else '≥'} {aim:g}",
        shown(found, aim, met),
        "met" if met else "missed",
        "" if limit is None else bare,
        "" if limit is None else f"{limit:.2f}",
    )
    return f"| {' | '.join(cells)} |"


def _limit(figures: dict[str, Figures], bare: str, metric: str, system: str) -> float | None:
    """The median of the bare operation divided by the *system*'s of *metric*."""
    if bare == MOCK_IN_C:
        by_system = figures.get(metric, {})
        return ratio(by_system.get("mock", ()), by_system.get(system, ()))
    return _ratio(figures, bare, metric, system)


def _ratio(figures: dict[str, Figures], ours: str, theirs: str, system: str) -> float | None:
    """Our median of one metric divided by the *system*'s of another."""
    return ratio(figures.get(ours, {}).get("ours", ()), figures.get(theirs, {}).get(system, ()))
