"""Resident memory of the server after the whole run; the last benchmark."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.systems import System


def measure(system: System, _scale: float) -> Sample:
    """Measure once."""
    return {"resident, after load": system.resident_mb()}


BENCHMARK = Benchmark("memory", (Metric("resident, after load", "MB"),), measure)
