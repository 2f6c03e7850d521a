"""`python -m benchmarks`: runs all benchmarks, or those named by `--only`, and prints the table."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import traceback
from collections import defaultdict
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from benchmarks import (
    consuming,
    expiry,
    groups,
    memory,
    parked,
    producing,
    recording,
    replicating,
    round_trip,
    start,
    storage,
    tls,
    transactions,
    wake_up,
)
from benchmarks.benchmark import Benchmark
from benchmarks.systems import System, available
from benchmarks.systems_with_tls import available_with_tls
from benchmarks.table import table

BENCHMARKS = {
    benchmark.name: benchmark
    for benchmark in (
        start.BENCHMARK,
        round_trip.BENCHMARK,
        producing.BENCHMARK,
        recording.BENCHMARK,
        consuming.BENCHMARK,
        wake_up.BENCHMARK,
        expiry.BENCHMARK,
        parked.BENCHMARK,
        memory.BENCHMARK,
        groups.BENCHMARK,
        replicating.BENCHMARK,
        storage.BENCHMARK,
        transactions.BENCHMARK,
        transactions.REPLICATED,
        tls.BENCHMARK,
    )
}
WARM_UP_SCALE = 0.3
QUICK_SCALE = 0.1

Results = dict[str, dict[str, list[float]]]


def main() -> int:
    """Measure and print; the exit code is 1 if a measurement failed."""
    options = _options()
    chosen = [BENCHMARKS[name] for name in options.only or BENCHMARKS]
    parked.allow_connections()
    results: Results = defaultdict(lambda: defaultdict(list))
    failed = False
    names: list[str] = []
    for nodes, has_tls in sorted({(benchmark.nodes, benchmark.tls) for benchmark in chosen}):
        found = available_with_tls() if has_tls else available(nodes)
        systems = [each for each in found if each.name in options.systems]
        names += [system.name for system in systems if system.name not in names]
        with ExitStack() as servers:
            for system in systems:
                system.server = system.start()
                servers.callback(system.server.close)
            for benchmark in chosen:
                if (benchmark.nodes, benchmark.tls) == (nodes, has_tls):
                    failed |= _run(benchmark, systems, results, options)
    metrics = [metric for benchmark in chosen for metric in benchmark.metrics]
    print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
    print(table(metrics, names, results))
    if options.json:
        _write(options.json, results)
    return int(failed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--only", action="append", choices=BENCHMARKS, help="may be repeated")
    parser.add_argument("--quick", action="store_true", help="one short round of each")
    parser.add_argument("--rounds", type=int, default=3, help="the number of measurements of each")
    everything = ["ours", "mock", "Kafka"]
    parser.add_argument("--systems", nargs="+", choices=everything, default=everything)
    return parser.parse_args()


def _run(
    benchmark: Benchmark, systems: list[System], results: Results, options: argparse.Namespace
) -> bool:
    """Measure one benchmark on one system after the other; returns whether any failed."""
    failed: set[str] = set()
    rounds = 1 if options.quick else options.rounds
    for number in range(rounds + (not options.quick)):
        warming = number == 0 and not options.quick
        scale = QUICK_SCALE if options.quick else WARM_UP_SCALE if warming else 1.0
        for system in systems:
            if system.name in failed:
                continue
            print(f"{benchmark.name} {system.name} {number}/{rounds} ", end="\r", file=sys.stderr)
            try:
                sample = benchmark.measure(system, scale)
            except Exception:
                failed.add(system.name)
                print(f"\n{benchmark.name} failed on {system.name}:", file=sys.stderr)
                traceback.print_exc()
                continue
            for name, value in () if warming else sample.items():
                results[name][system.name].append(value)
    return bool(failed)


def _write(file: Path, results: Results) -> None:
    figures = {
        metric: {
            system: {"median": median(values), "min": min(values), "max": max(values)}
            for system, values in by_system.items()
        }
        for metric, by_system in results.items()
    }
    machine = {"platform": platform.platform(), "cores": os.cpu_count()}
    file.write_text(json.dumps({"machine": machine, "metrics": figures}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
