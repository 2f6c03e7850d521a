"""Runs benchmarks in rounds: in each round, one system is measured after the other.

Benchmarks with the same kind of servers share them. The systems change places from round to round,
so that none is always measured after the same other one.
"""

from __future__ import annotations

import sys
import traceback
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from benchmarks.benchmark import Benchmark, Sample
from benchmarks.systems import System, available
from benchmarks.systems_with_tls import available_with_tls
from benchmarks.warm_pages import warm_pages

WARM_UP_SCALE = 0.3
QUICK_SCALE = 0.1
MOST_HEAVY_ROUNDS = 2

# By metric, by system: a figure of each round.
Results = dict[str, dict[str, list[float]]]


class Rounds(NamedTuple):
    """How often each benchmark measures each system; *quick* is one short round of each.

    *compiled* is the folder of our compiled build; None: ours is the pure one.
    """

    number: int
    quick: bool
    systems: Sequence[str]
    compiled: Path | None = None

    def scales(self, benchmark: Benchmark) -> Iterator[tuple[float, bool]]:
        """The scale of each round, and whether its figures are kept."""
        if self.quick:
            yield QUICK_SCALE, True
            return
        if not benchmark.heavy:
            yield WARM_UP_SCALE, False
        most = MOST_HEAVY_ROUNDS if benchmark.heavy else self.number
        for _ in range(min(most, self.number)):
            yield 1.0, True


class Outcome(NamedTuple):
    """What was measured, and the names of the benchmarks that failed on a system."""

    results: Results
    failed: list[str]


def run(benchmarks: Sequence[Benchmark], rounds: Rounds) -> Outcome:
    """Measure the benchmarks, those with the same servers one after the other."""
    outcome = Outcome(defaultdict(lambda: defaultdict(list)), [])
    for _, group in groupby(sorted(benchmarks, key=_servers), key=_servers):
        sharing = list(group)
        with _running(sharing[0], rounds, outcome.failed) as systems:
            for benchmark in sharing:
                _measure(benchmark, systems, rounds, outcome)
    return outcome


def _servers(benchmark: Benchmark) -> tuple[int, bool, str]:
    """Equal for benchmarks that share servers."""
    return benchmark.nodes, benchmark.tls, benchmark.name if benchmark.own_servers else ""


@contextmanager
def _running(benchmark: Benchmark, rounds: Rounds, failed: list[str]) -> Iterator[list[System]]:
    """The systems that *benchmark* measures, with their servers; those that start."""
    if benchmark.tls:
        found = available_with_tls(rounds.compiled)
    else:
        found = available(benchmark.nodes, rounds.compiled)
    systems = [each for each in found if each.name in rounds.systems]
    with ExitStack() as servers:
        started = []
        for system in systems:
            try:
                system.server = system.start()
            except Exception:
                failed.append(f"the start of {system.name}")
                traceback.print_exc()
                continue
            servers.callback(system.server.close)
            started.append(system)
        yield started


def _measure(
    benchmark: Benchmark, systems: Sequence[System], rounds: Rounds, outcome: Outcome
) -> None:
    failed: set[str] = set()

    def measured(system: System, scale: float, number: int) -> Sample:
        if system.name in failed:
            return {}
        print(f"{benchmark.name} {system.name} {number} ", end="\r", file=sys.stderr)
        warm_pages(benchmark.written_mb * scale)
        try:
            return benchmark.measure(system, scale)
        except Exception:
            failed.add(system.name)
            outcome.failed.append(f"{benchmark.name} on {system.name}")
            print(f"\n{outcome.failed[-1]} failed:", file=sys.stderr)
            traceback.print_exc()
            return {}

    if benchmark.warms_up and not benchmark.heavy and not rounds.quick:
        for system in systems:
            for number in range(-system.warm_up_rounds, 0):
                measured(system, 1.0, number)
    for number, (scale, kept) in enumerate(rounds.scales(benchmark)):
        first = number % len(systems) if systems else 0
        for system in (*systems[first:], *systems[:first]):
            sample = measured(system, scale, number)
            for name, value in sample.items() if kept else ():
                outcome.results[name][system.name].append(value)
