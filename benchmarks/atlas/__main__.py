"""`python -m benchmarks.atlas [NAME ...]`: runs the experiments and writes their page."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from typing import Any

from benchmarks.atlas.brokers import BROKER
from benchmarks.atlas.experiment import Experiment
from benchmarks.atlas.experiments import EXPERIMENTS
from benchmarks.atlas.page import FOLDER, PAGE, Measured, page
from benchmarks.atlas.plots import draw
from integration.kafka.jars import missing_for_a_jvm


def main() -> int:
    """Measure, check, plot and write; the exit code is 1 if the rows do not show a claim."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.atlas", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXPERIMENTS))
    names = parser.parse_args().names or list(EXPERIMENTS)
    if unknown := set(names) - set(EXPERIMENTS):
        parser.error(f"no experiment {', '.join(sorted(unknown))}; have {', '.join(EXPERIMENTS)}")
    failed = False
    for name in names:
        experiment = EXPERIMENTS[name]
        started, load = time.perf_counter(), os.getloadavg()[0]
        rows = experiment.measure(experiment.size)
        print(f"{name}: {time.perf_counter() - started:.1f} s", flush=True)
        try:
            experiment.check(rows)
        except AssertionError as error:
            print(f"{name}: the claim does not hold: {error}")
            failed = True
            continue
        measured: Measured = {"environment": _environment(experiment, rows, load), "rows": rows}
        (FOLDER / f"{name}.json").write_text(json.dumps(measured, indent=1) + "\n")
        (FOLDER / f"{name}.svg").write_text(draw(experiment, rows))
    PAGE.write_text(page())
    return int(failed)


def _environment(experiment: Experiment[Any], rows: list[Any], load: float) -> str:
    """Where the rows were measured; *load* is the load average of the machine before that."""
    size = f"size: {experiment.size:,} {experiment.size_unit}"
    python = f"{platform.python_implementation()} {platform.python_version()}"
    if experiment.is_virtual:
        return f"{python}, virtual time; {size}"
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores"
    brokers = f"; {_brokers(rows)}" if experiment.columns[0] == BROKER else ""
    return f"{python}, {machine} with a load average of {load:.1f} before; {size}{brokers}"


def _brokers(rows: list[Any]) -> str:
    measured = ", ".join(dict.fromkeys(row[0] for row in rows))
    missing = missing_for_a_jvm()
    return f"brokers: {measured}" + ("" if missing is None else f"; without Kafka: {missing}")


if __name__ == "__main__":
    raise SystemExit(main())
