"""`python -m benchmarks.purgatory`: our timer and purgatory beside Kafka's and other timers.

All run alternately in one run; the table shows medians, and ratios of ours to each other one.
Kafka's classes run if there is a JVM. heapq, asyncio and a trio task per timer are compared where
they support the operation, and our timer driven inside trio is the row ``reaper``. With `--num` and
the related options only the model of Kafka's TestPurgatoryPerformance runs, with that program's
options.
"""

from __future__ import annotations

import argparse
import gc
import json
import platform
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from benchmarks import purgatory_model, purgatory_ours
from benchmarks.kafka_timers import JAVA
from benchmarks.purgatory_timers import SIZES, Asyncio, Heapq, Ours, Timers, measure
from benchmarks.purgatory_trio import Reaper, TrioTasks
from broker.process.garbage_collection import configure_garbage_collection
from integration.kafka.jars import missing_for_a_jvm
from integration.kafka.java_program import java_command

Sample = Mapping[str, float]
Samples = dict[str, dict[str, list[float]]]  # by implementation and metric

LESS_IS_BETTER = ("_ns", "_ns_per_op", "_ms", "_cpu_s", "_bytes_per_op", "watched")
QUICK_SCALE = 0.1
TIMERS: dict[str, type[Timers]] = {
    "ours": Ours,
    "heapq": Heapq,
    "asyncio": Asyncio,
    "trio": TrioTasks,
    "reaper": Reaper,
}


def main() -> None:
    """Measure, print, write."""
    options = _options()
    configure_garbage_collection()
    if options.num is not None:
        _run_model(options)
        return
    samples: Samples = defaultdict(lambda: defaultdict(list))
    scale = QUICK_SCALE if options.quick else 1.0
    with tempfile.TemporaryDirectory() as classes:
        kafka = None if options.no_jvm else _kafka_command(Path(classes))
        for number in range(1 if options.quick else options.rounds):
            print(f"round {number + 1}", file=sys.stderr)
            for implementation, sample in _round(kafka, scale):
                for name, value in sample.items():
                    samples[implementation][name].append(value)
    print(f"{platform.platform()}, Python {platform.python_version()}")
    print(_table(samples))
    if options.json:
        options.json.write_text(json.dumps(_figures(samples), indent=2) + "\n")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.purgatory", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--rounds", type=int, default=3, help="the number of measurements of each")
    parser.add_argument("--no-jvm", action="store_true", help="leave out Kafka's own classes")
    model = parser.add_argument_group("the model alone (TestPurgatoryPerformance's options)")
    model.add_argument("--num", type=int, help="number of requests")
    model.add_argument("--rate", type=float, default=1000.0, help="requests per second")
    model.add_argument("--timeout", type=int, default=1000, help="ms")
    model.add_argument("--pct50", type=float, default=0.5, help="median latency, ms")
    model.add_argument("--pct75", type=float, default=0.75, help="75th percentile latency, ms")
    model.add_argument("--keys", type=int, default=3, help="keys of a request")
    model.add_argument("--key-space-size", type=int, default=100, help="number of keys")
    return parser.parse_args()


def _run_model(options: argparse.Namespace) -> None:
    result = purgatory_model.run(
        purgatory_model.Model(
            requests=options.num,
            rate=options.rate,
            timeout_ms=options.timeout,
            pct50_ms=options.pct50,
            pct75_ms=options.pct75,
            keys=options.keys,
            key_space_size=options.key_space_size,
        )
    )
    for name, value in result.items():
        print(f"{name:<20} {value:>12,.1f}")
    if options.json:
        options.json.write_text(json.dumps({"impl": "ours", **result}, indent=2) + "\n")


def _kafka_command(classes: Path) -> list[str] | None:
    missing = missing_for_a_jvm()
    if missing is not None:
        print(f"without Kafka's classes: {missing}", file=sys.stderr)
        return None
    return java_command(JAVA, "PurgatoryBenchmark", classes)


def _round(kafka: list[str] | None, scale: float) -> Iterator[tuple[str, Sample]]:
    """Run all implementations once."""
    for part in (*purgatory_ours.PARTS, purgatory_model.measure):
        yield "ours", part(scale)
        gc.collect()
    if kafka is not None:
        lines = subprocess.run(
            [*kafka, str(scale)], capture_output=True, text=True, check=True, timeout=600
        ).stdout.splitlines()
        yield "kafka", {name: float(value) for name, value in map(str.split, lines)}
    for name, timers in TIMERS.items():
        for size in SIZES:
            if size * scale <= timers.size_max:
                yield name, measure(timers, size, scale)
                gc.collect()


def _figures(samples: Samples) -> dict[str, object]:
    """Ours first, the others by name."""
    by_name = {name: _summary(name, figures) for name, figures in samples.items()}
    return {**by_name.pop("ours"), "others": by_name}


def _summary(implementation: str, figures: Mapping[str, list[float]]) -> dict[str, object]:
    summary: dict[str, object] = {"impl": implementation}
    for name, values in figures.items():
        summary[name] = median(values)
        summary[f"{name}_min"] = min(values)
        summary[f"{name}_max"] = max(values)
    return summary


def _table(samples: Samples) -> str:
    others = [name for name in samples if name != "ours"]
    rows = [["", "ours", *others, *(f"ours/{other}" for other in others)]]
    for metric, values in samples["ours"].items():
        ours = median(values)
        theirs = [samples[other].get(metric) for other in others]
        rows.append(
            [
                f"{metric} {'v' if metric.endswith(LESS_IS_BETTER) else '^'}",
                _figure(ours),
                *(_figure(median(figures)) if figures else "-" for figures in theirs),
                *(_ratio(ours, median(figures)) if figures else "-" for figures in theirs),
            ]
        )
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in rows
    )


def _figure(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def _ratio(ours: float, theirs: float) -> str:
    return f"{ours / theirs:.3g}" if theirs else "-"


if __name__ == "__main__":
    main()
