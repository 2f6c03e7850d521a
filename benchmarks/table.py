"""The table: a row for each metric, a column for each system, and ratios."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median

from benchmarks.benchmark import Metric

# samples[metric][system]: one figure for each round
Samples = Mapping[str, Mapping[str, Sequence[float]]]
SMALLEST_TO_DIVIDE_BY = 0.01


def table(metrics: Sequence[Metric], systems: Sequence[str], samples: Samples) -> str:
    """Format the results for a terminal."""
    others = [name for name in systems if name != "ours"]
    rows = [["", "unit", *systems, *(f"ours/{name}" for name in others)]]
    for metric in metrics:
        found = samples.get(metric.name, {})
        cells = [_cell(found.get(name, ())) for name in systems]
        ratios = [_ratio(metric, found.get("ours", ()), found.get(name, ())) for name in others]
        arrow = "v" if metric.better == "lower" else "^"
        rows.append([metric.name, f"{metric.unit} {arrow}", *cells, *ratios])
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(_line(row, widths) for row in rows)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    first, *rest = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
    return "  ".join([first, *rest]).rstrip()


def figure(value: float) -> str:
    """A figure with three significant digits."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float | None:
    """Our median divided by theirs; None without figures, or if theirs is nearly 0."""
    if not ours or not theirs or median(theirs) < SMALLEST_TO_DIVIDE_BY:
        return None
    return median(ours) / median(theirs)


def _cell(values: Sequence[float]) -> str:
    if not values:
        return "-"
    if len(values) == 1:
        return figure(values[0])
    return f"{figure(median(values))} [{figure(min(values))} .. {figure(max(values))}]"


def _ratio(metric: Metric, ours: Sequence[float], theirs: Sequence[float]) -> str:
    found = ratio(ours, theirs)
    if found is None:
        return "-"
    better = found < 1 if metric.better == "lower" else found > 1
    return f"{found:.2f} {'+' if better else '-'}"
