"""The measured figures of each benchmark in a JSON file, from which the page is written."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TypedDict

import confluent_kafka

from benchmarks.benchmark import Benchmark
from benchmarks.kfake import kfake_version
from benchmarks.rounds import Results
from integration.kafka.jars import KAFKA_VERSION

FOLDER = Path(__file__).parent.parent / "docs/reference/speed"


class Measured(TypedDict):
    """The content of the file of a benchmark; figures by metric, by system, for each round."""

    environment: str
    metrics: dict[str, dict[str, list[float]]]


def file_of(name: str) -> Path:
    """The file of the benchmark of this name."""
    return FOLDER / f"{name}.json"


def read(name: str) -> Measured | None:
    """The figures of a benchmark, or None if it has not been measured."""
    file = file_of(name)
    if not file.exists():
        return None
    measured: Measured = json.loads(file.read_text())
    return measured


def write(benchmarks: Sequence[Benchmark], results: Results, environment: str) -> None:
    """Replace the files of the benchmarks that have figures."""
    FOLDER.mkdir(exist_ok=True)
    for benchmark in benchmarks:
        metrics = {
            metric.name: {system: _rounded(each) for system, each in results[metric.name].items()}
            for metric in benchmark.metrics
            if metric.name in results
        }
        if metrics:
            measured = Measured(environment=environment, metrics=metrics)
            file_of(benchmark.name).write_text(json.dumps(measured, indent=1) + "\n")


def environment(build: str) -> str:
    """The machine, the load of other programs before the measurement, and the versions.

    *build* is the one of this broker.
    """
    parts = (
        f"{platform.system()} {platform.release()} on {os.cpu_count()} cores ({_processor()})",
        f"load average {os.getloadavg()[1]:.1f} before the run",
        f"the {build} build on Python {_python()}",
        f"Kafka {KAFKA_VERSION} on {_first_line('java', '-version')}" if _has("java") else "",
        f"kfake {kfake_version()} with {_first_line('go', 'version')}" if _has("go") else "",
        f"librdkafka {confluent_kafka.libversion()[0]}",
    )
    return "; ".join(part for part in parts if part)


def _python() -> str:
    """The version; the one of a distribution is usually faster than one that is not optimized."""
    version = platform.python_version()
    if sys.base_prefix != "/usr":
        return version
    return f"{version} of {platform.freedesktop_os_release()['PRETTY_NAME']}"


def _has(command: str) -> bool:
    return shutil.which(command) is not None


def _first_line(*command: str) -> str:
    done = subprocess.run(
        command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    return done.stdout.splitlines()[0].replace('"', "")


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def _rounded(values: Sequence[float]) -> list[float]:
    return [float(f"{value:.4g}") for value in values]
