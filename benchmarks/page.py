"""The page docs/reference/speed.md, from the figures that the benchmarks have measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

from benchmarks.aims import AIMS
from benchmarks.aims_table import aims_lines, is_met, shown
from benchmarks.benchmark import Benchmark, Metric
from benchmarks.every_benchmark import BENCHMARKS
from benchmarks.growth.curves import CURVES
from benchmarks.growth.page import curve_lines, points
from benchmarks.growth.picture import picture
from benchmarks.results import FOLDER, Measured, read
from benchmarks.sections import AIMS_AND_LIMITS, HEAD, SECTIONS, Section
from benchmarks.systems import NAMES
from benchmarks.table import figure, ratio

PAGE = Path(__file__).parent.parent / "docs/reference/speed.md"
_TITLES = {"ours": "antechamber", "pure": "pure build", "mock": "librdkafka's mock"}


def write_page() -> None:
    """Write the page and its pictures."""
    PAGE.write_text(page(), encoding="utf-8")
    for name, text in pictures().items():
        (FOLDER / f"{name}.svg").write_text(text, encoding="utf-8")


def pictures() -> dict[str, str]:
    """The pictures by the name of the benchmark."""
    found = {name: (curve, read(name)) for name, curve in CURVES.items()}
    return {
        name: picture(curve, points(curve, measured))
        for name, (curve, measured) in found.items()
        if measured
    }


def page() -> str:
    """The text of the page."""
    aims = [AIMS_AND_LIMITS, *aims_lines(read), ""]
    return "\n".join([HEAD, *aims, *(_section(section) for section in SECTIONS)])


def _section(section: Section) -> str:
    lines = [f"## {section.title}\n", f"{section.text}\n"]
    measured = {name: found for name in section.benchmarks if (found := read(name))}
    systems = [name for name in NAMES if any(_measures(each, name) for each in measured.values())]
    tables = [(BENCHMARKS[name], found) for name, found in measured.items() if name not in CURVES]
    if tables:
        lines += table_lines(tables, systems)
    for name in measured:
        if name in CURVES:
            lines += curve_lines(CURVES[name], measured[name])
    if not measured:
        lines.append("Not measured yet.")
    environments: dict[str, list[str]] = {}
    for name, found in measured.items():
        count = _rounds(found)
        rounds = f"`{name}` ({count} round{'s' if count > 1 else ''})"
        environments.setdefault(found["environment"], []).append(rounds)
    lines += [
        f"\nMeasured by {', '.join(names)} with {environment}."
        for environment, names in environments.items()
    ]
    return "\n".join(lines) + "\n"


def _rounds(measured: Measured) -> int:
    """The number of rounds that were measured."""
    samples = (each for by_system in measured["metrics"].values() for each in by_system.values())
    return max(map(len, samples))


def _measures(measured: Measured, system: str) -> bool:
    return any(system in by_system for by_system in measured["metrics"].values())


def table_lines(
    found: Sequence[tuple[Benchmark, Measured]], systems: Sequence[str]
) -> Iterator[str]:
    """The lines of a table with the metrics of several benchmarks."""
    others = [system for system in systems if system in ("Kafka", "kfake")]
    heads = [_TITLES.get(system, system) for system in systems]
    yield _line(["", *heads, *(f"of {system}" for system in others)])
    yield _line(["---", *("---:" for _ in (*systems, *others))])
    for benchmark, measured in found:
        for metric in benchmark.metrics:
            by_system = measured["metrics"].get(metric.name, {})
            if by_system:
                cells = [_cell(by_system.get(system, ())) for system in systems]
                ratios = [_ratio(metric, by_system, system) for system in others]
                yield _line([f"{metric.name}, {metric.unit}", *cells, *ratios])


def _cell(values: Sequence[float]) -> str:
    if not values:
        return ""
    text = figure(median(values))
    low, high = figure(min(values)), figure(max(values))
    return text if low == high else f"{text} ({low} to {high})"


def _ratio(metric: Metric, by_system: dict[str, list[float]], other: str) -> str:
    found = ratio(by_system.get("ours", ()), by_system.get(other, ()))
    if found is None:
        return ""
    aim = AIMS.get(metric.name, {}).get(other)
    if aim is None:
        return f"{found:.2f}"
    met = is_met(metric, found, aim)
    sign, result = "≤" if metric.better == "lower" else "≥", "met" if met else "missed"
    return f"{shown(found, aim, met)}; aim {sign} {aim:g}, {result}"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
