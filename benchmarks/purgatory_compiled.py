"""`python -m benchmarks.purgatory_compiled`: measures `purgatories` in both builds, side by side.

With CPython 3.11 at 100 000 timers an add costs 0.23 µs instead of 0.72, a cancel 0.13
instead of 0.24, an expiry 0.6 instead of 1.4, and a watch with its completion 1.7 instead of 2.6. A
parked request thus saves a microsecond. Needs a C compiler.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from benchmarks.builds import COMPILED, ROOT
from benchmarks.purgatory_ours import ROUND, watch_and_complete_s
from benchmarks.purgatory_timers import Ours, measure
from broker.process.garbage_collection import configure_garbage_collection
from compiling.build import build
from purgatories import purgatory

TURNS = 5


def main() -> None:
    """Compile, measure both, print."""
    build(ROOT, COMPILED)
    rounds = [(_figures(ROOT), _figures(COMPILED)) for _ in range(TURNS)]
    print(f"{'':<30}{'pure':>8}{'compiled':>10}")
    for name in rounds[0][0]:
        pure, fast = (min(each[which][name] for each in rounds) for which in (0, 1))
        print(f"{name:<30}{pure:>8,.0f}{fast:>10,.0f}")


def _figures(folder: Path) -> dict[str, float]:
    """Measure the `purgatories` of *folder* in a process of its own."""
    program = "import benchmarks.purgatory_compiled as this; this.print_figures()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT)])}
    command = [sys.executable, "-P", "-c", program, str(folder)]
    output = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
    figures: dict[str, float] = json.loads(output)
    return figures


def print_figures() -> None:
    """Print one measurement as JSON."""
    assert Path(purgatory.__file__).is_relative_to(sys.argv[1])
    configure_garbage_collection()
    watch_s, complete_s = watch_and_complete_s(1, 1, 10)
    figures = {
        **measure(Ours, 100_000, 1.0),
        "watch_and_complete_ns": (watch_s + complete_s) / (10 * ROUND) * 1e9,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
