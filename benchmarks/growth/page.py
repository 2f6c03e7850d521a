"""The part of the page for a growth curve: a picture, and a table with a column for each size."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from benchmarks.growth.curve import Curve
from benchmarks.results import Measured
from benchmarks.table import figure

Points = dict[str, dict[int, float]]


def points(curve: Curve, measured: Measured) -> Points:
    """The median of each measured point, by line and size."""
    found: Points = {}
    for line in curve.lines:
        for size in curve.sizes:
            values = measured["metrics"].get(curve.metric(line, size).name, {}).get("ours")
            if values:
                found.setdefault(line, {})[size] = median(values)
    return found


def curve_lines(curve: Curve, measured: Measured) -> Iterator[str]:
    """The lines of Markdown."""
    found = points(curve, measured)
    sizes = [size for size in curve.sizes if any(size in each for each in found.values())]
    yield f"\n### Number of {curve.things}\n"
    yield f"![Costs against the number of {curve.things}](speed/{curve.name}.svg)\n"
    yield _line(["µs", *(f"{size:,}" for size in sizes), "last / first"])
    yield _line(["---", *("---:" for _ in sizes), "---:"])
    for line, by_size in found.items():
        cells = [figure(by_size[size]) if size in by_size else "" for size in sizes]
        first, last = by_size[min(by_size)], by_size[max(by_size)]
        yield _line([line, *cells, f"{last / first:.2f}" if first else ""])


def _line(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"
