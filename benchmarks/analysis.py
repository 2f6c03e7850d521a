"""Measures the analysis of wait records by their number, and compares Spark with other engines.

`python -m benchmarks.analysis` generates records (a thousand requests a second, the same for the
same number). Engines in processes of their own compute the latency table from them, with two
threads each and including their start:

* `analyze` is the command itself: all tables, and the page. Its time is printed in parts: the start
  of Spark, the tables, and the page.
* `spark`, `duckdb` and `python` compute only the latency table (`analysis_engines.py`).
* `parsing` is Spark that parses the lines and computes nothing.

Memory is the largest resident size of the process with its children. DuckDB is not part of the
development environment: `pip install duckdb` adds it to the table.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import chain, islice, repeat
from pathlib import Path
from typing import NamedTuple

import psutil  # type: ignore[import-untyped]  # it has no types

from benchmarks.analysis_engines import READING
from tests.pipeline.wait_records import Bookkeeper

PACE_US = 1_000
SIZES = (10_000, 100_000, 1_000_000)
ENGINES = ("analyze", "spark", "parsing", "duckdb", "python")
LOOK_EVERY_S = 0.2


class Run(NamedTuple):
    """One engine's run; seconds, and megabytes."""

    took: float
    cpu: float
    memory_mb: float
    steps: dict[str, float]  # the time at which each line was printed


def record_lines(count: int) -> Iterator[str]:
    """Write *count* generated records as lines of JSON."""
    books = Bookkeeper(1, PACE_US)
    steps = chain.from_iterable(books.step() for _ in repeat(None))
    return (json.dumps(each, separators=(",", ":")) + "\n" for each in islice(steps, count))


def run(command: list[str]) -> Run:
    """Run a command, and measure its resources."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    cpu, memory_mb, steps = [0.0], [0.0], {}
    watcher = threading.Thread(target=_watch, args=(process, cpu, memory_mb))
    watcher.start()
    assert process.stdout
    for line in process.stdout:
        steps[line.strip()] = time.perf_counter() - started
    if process.wait():
        raise RuntimeError(f"{command} failed: {' '.join(steps)}")
    watcher.join()
    return Run(time.perf_counter() - started, max(cpu), max(memory_mb), steps)


def _watch(process: subprocess.Popen[str], cpu: list[float], memory_mb: list[float]) -> None:
    """Poll the process, because the memory of an ended child is not reported."""
    while process.poll() is None:
        try:
            all_of_it = psutil.Process(process.pid)
            family = [all_of_it, *all_of_it.children(recursive=True)]
            cpu.append(sum(sum(each.cpu_times()[:2]) for each in family))
            memory_mb.append(resident_mb(family))
        except psutil.NoSuchProcess:
            continue
        time.sleep(LOOK_EVERY_S)


def resident_mb(family: Sequence[psutil.Process]) -> float:
    """The resident size. Until a new process executes its own program, it has its parent's memory.

    Java starts a program for each file that it writes, so this memory would be counted twice.
    """
    words = {each.pid: _words(each) for each in family}
    own = (each for each in family if words[each.pid] != words.get(each.ppid()))
    return float(sum(each.memory_info().rss for each in own)) / 1e6


def _words(process: psutil.Process) -> list[str]:
    """The command line; none of a process that has ended and remains in the table of processes."""
    try:
        return list(process.cmdline())
    except psutil.ZombieProcess:
        return []


def measure(engine: str, records: Path, folder: Path) -> Run:
    """Run *engine* on *records*."""
    out = folder / engine
    shutil.rmtree(out, ignore_errors=True)
    if engine == "analyze":
        words = ["-m", "antechamber", "analyze", str(records), "--master", "local[2]"]
        return run([sys.executable, *words, "--out", str(out)])
    return run(
        [sys.executable, "-m", "benchmarks.analysis_engines", engine, str(records), str(out)]
    )


def in_parts(done: Run) -> str:
    """The time of each part: of the command, or of another run of Spark."""
    begun = done.steps.get(READING)
    if begun is None:
        return ""
    written = done.steps.get("drawing")
    if written is None:
        return f"Spark's start {begun:.1f}, rest {done.took - begun:.1f}"
    rest = done.took - written
    return f"Spark's start {begun:.1f}, tables {written - begun:.1f}, page {rest:.1f}"


def main() -> None:
    """Measure, and print a line for each run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.analysis", description=__doc__)
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=ENGINES)
    options = parser.parse_args()
    engines = [name for name in options.engines if name != "duckdb" or find_spec("duckdb")]
    print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.1f} before the first run")
    print(f"{'records':>10}  {'engine':8}  {'seconds':>7}  {'CPU s':>6}  {'MB':>6}")
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for size in options.sizes:
            records = folder / "records.jsonl"
            with records.open("w") as file:
                file.writelines(record_lines(size))
            for engine in engines:
                done = measure(engine, records, folder)
                print(
                    f"{size:>10,}  {engine:8}  {done.took:7.1f}  {done.cpu:6.1f}"
                    f"  {done.memory_mb:6.0f}  {in_parts(done)}".rstrip(),
                    flush=True,
                )


if __name__ == "__main__":
    main()
