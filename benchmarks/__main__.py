"""`python -m benchmarks`: runs all benchmarks, or those named by `--only`, and prints the table.

`--write` also replaces their figures in docs/reference/speed, and writes the page.
"""

from __future__ import annotations

import argparse
import sys

from benchmarks import parked
from benchmarks.builds import compiled_packages
from benchmarks.every_benchmark import BENCHMARKS
from benchmarks.page import PAGE, write_page
from benchmarks.results import environment, write
from benchmarks.rounds import Rounds, run
from benchmarks.systems import NAMES
from benchmarks.table import table


def main() -> int:
    """Measure and print; the exit code is 1 if a measurement failed."""
    options = _options()
    chosen = [BENCHMARKS[name] for name in options.only or BENCHMARKS]
    parked.allow_connections()
    compiled = None if options.build == "pure" else compiled_packages()
    measured_with = environment("pure" if compiled is None else "compiled")
    rounds = Rounds(options.rounds, options.quick, options.systems, compiled)
    results, failed = run(chosen, rounds)
    metrics = [metric for benchmark in chosen for metric in benchmark.metrics]
    measured = {name for by_system in results.values() for name in by_system}
    print(measured_with)
    print(table(metrics, [name for name in NAMES if name in measured], results))
    if options.write:
        write(chosen, results, measured_with)
        write_page()
    return int(bool(failed))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=BENCHMARKS, help="may be repeated")
    parser.add_argument("--quick", action="store_true", help="one short round of each")
    parser.add_argument("--write", action="store_true", help=f"write the figures, and {PAGE.name}")
    parser.add_argument("--rounds", type=int, default=5, help="the number of measurements of each")
    parser.add_argument("--build", choices=("compiled", "pure"), default="compiled", help="of ours")
    parser.add_argument("--systems", nargs="+", choices=NAMES, default=NAMES)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
