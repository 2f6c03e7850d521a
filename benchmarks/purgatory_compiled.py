"""`python -m benchmarks.purgatory_compiled`: measures `purgatories` compiled by mypyc.

    a copy of purgatories/ --mypyc--> extension modules --> the same figures, side by side

mypyc compiles the modules unchanged, except that base classes of interpreted classes must be
marked. With CPython 3.11 at 100 000 timers an add costs 0.23 µs instead of 0.72, a cancel 0.13
instead of 0.24, an expiry 0.6 instead of 1.4, and a watch with its completion 1.7 instead of 2.6. A
parked request thus saves a microsecond, which is too little to offer a compiled wheel. Needs a C
compiler and setuptools.
"""

from __future__ import annotations

import gc
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.purgatory_ours import ROUND, watch_and_complete_s
from benchmarks.purgatory_timers import Ours, measure
from hatch_build import compile_in_place
from purgatories import purgatory

ROOT = Path(__file__).parent.parent
# Classes with interpreted subclasses, which must be marked for mypyc.
OPEN_CLASSES = {
    "timer/timer_task.py": "class TimerTask:",
    "delayed_operation.py": "class DelayedOperation(",
}
# A compiled subclass of Thread crashes in the garbage collection; the other modules here are called
# rarely or derive from classes of trio.
LEFT_OUT = {"reaper.py", "trio_reaper.py", "draw.py", "__init__.py"}
MARK = """
from mypy_extensions import mypyc_attr


@mypyc_attr(allow_interpreted_subclasses=True)
"""
TURNS = 5


def main() -> None:
    """Compile, measure both, print."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder)
        _compile(compiled)
        rounds = [(_figures(ROOT), _figures(compiled)) for _ in range(TURNS)]
    print(f"{'':<30}{'pure':>8}{'compiled':>10}")
    for name in rounds[0][0]:
        pure, fast = (min(each[which][name] for each in rounds) for which in (0, 1))
        print(f"{name:<30}{pure:>8,.0f}{fast:>10,.0f}")


def _compile(folder: Path) -> None:
    """Compile a copy in *folder*."""
    shutil.copytree(ROOT / "purgatories", folder / "purgatories")
    for name, start in OPEN_CLASSES.items():
        path = folder / "purgatories" / name
        text = path.read_text()
        assert start in text
        path.write_text(text.replace(start, MARK.lstrip() + start))
    modules = [
        str(path.relative_to(folder))
        for path in sorted((folder / "purgatories").rglob("*.py"))
        if path.name not in LEFT_OUT
    ]
    compile_in_place(modules, folder)


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
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    watch_s, complete_s = watch_and_complete_s(1, 1, 10)
    figures = {
        **measure(Ours, 100_000, 1.0),
        "watch_and_complete_ns": (watch_s + complete_s) / (10 * ROUND) * 1e9,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
