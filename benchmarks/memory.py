"""Resident memory of the server that has borne the whole run so far; the last benchmark."""

from __future__ import annotations

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.systems import System


def measure(system: System, _scale: float) -> Sample:
    """Look once."""
    return {"resident, after load": system.resident_mb()}


BENCHMARK = Benchmark("memory", (Metric("resident, after load", "MB"),), measure)
