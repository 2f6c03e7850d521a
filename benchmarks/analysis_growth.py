"""Measures how the costs of an analysis grow with the number of records.

`python -m benchmarks.analysis_growth` generates records, and runs `antechamber analyze` on the
first 100,000, 300,000 and so on of them, with two cores. It writes the figures and their picture to
docs/reference/, and prints them as the table of docs/reference/analysis.md. Processor seconds are
of the whole command: Python, Java's start, its compiler, and Spark. They depend less on other
programs on the machine than seconds do.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from matplotlib.axes import Axes

from benchmarks.analysis import measure, record_lines
from benchmarks.atlas.plots import draw_plot

SIZES = (100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
FIGURES = Path("docs/reference/analysis_growth.json")
PICTURE = Path("docs/reference/analysis_growth.svg")
_TERABYTE = 1e12
_INCHES = (4.3, 3.4)


class Point(NamedTuple):
    """One run; *cpu* are processor seconds, *load* is the machine's load average after the run."""

    records: int
    megabytes: float
    seconds: float
    cpu: float
    memory_mb: float
    load: float


def measured(sizes: Sequence[int], lines: Iterator[str], folder: Path) -> Iterator[Point]:
    """Run the analysis on the first lines, *sizes* of them in ascending order."""
    records = folder / "records.jsonl"
    for before, size in pairwise((0, *sizes)):
        with records.open("a") as file:
            file.writelines(islice(lines, size - before))
        done = measure("analyze", records, folder)
        megabytes = records.stat().st_size / 1e6
        load = os.getloadavg()[0]
        yield Point(size, megabytes, done.took, done.cpu, done.memory_mb, load)
        shutil.rmtree(folder / "analyze")


def terabyte_hours(points: Sequence[Point]) -> float:
    """The processor hours of a terabyte, if further records cost what the last ones did."""
    one, other = points[-2:]
    each_megabyte = (other.cpu - one.cpu) / (other.megabytes - one.megabytes)
    return (other.cpu + each_megabyte * (_TERABYTE / 1e6 - other.megabytes)) / 3600


def picture(points: Sequence[Point]) -> str:
    """The processor seconds of each run, beside a line in proportion to the last one."""
    sizes = [point.records for point in points]
    last = points[-1]

    def plot(axes: Axes) -> None:
        costs = [point.cpu for point in points]
        axes.plot(sizes, costs, marker="o", markersize=4, label="measured")
        in_proportion = [last.cpu * size / last.records for size in sizes]
        axes.plot(sizes, in_proportion, linestyle="--", label="in proportion to the records")
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("records")
        axes.set_ylabel("processor seconds")
        axes.legend(loc="upper left", fontsize=9)

    return draw_plot("Processor seconds of an analysis by the number of records", plot, _INCHES)


def table(points: Iterable[Point]) -> Iterator[str]:
    """The lines of the table in Markdown."""
    yield "| records | MB | seconds | load | processor seconds | for 1,000 records | memory, MB |"
    yield "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    for point in points:
        each = 1000 * point.cpu / point.records
        yield (
            f"| {point.records:,} | {point.megabytes:,.0f} | {point.seconds:,.0f}"
            f" | {point.load:.0f} | {point.cpu:,.0f} | {each:.2f} | {point.memory_mb:,.0f} |"
        )


def write(points: Sequence[Point]) -> None:
    """Write the figures and the picture, and print the table."""
    facts = {"cores": os.cpu_count(), "runs": [point._asdict() for point in points]}
    FIGURES.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    PICTURE.write_text(picture(points), encoding="utf-8")
    print("\n".join(table(points)))
    print(f"a terabyte: {terabyte_hours(points):.0f} processor hours")


def main() -> None:
    """Measure, and write the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.analysis_growth", description=__doc__
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES)
    sizes = sorted(parser.parse_args().sizes)
    if len(sizes) < 2:
        parser.error("--sizes needs two numbers")
    with tempfile.TemporaryDirectory() as folder:
        write(list(measured(sizes, record_lines(sizes[-1]), Path(folder))))


if __name__ == "__main__":
    main()
