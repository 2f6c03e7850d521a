"""The time from the start of the process to its first Metadata response, and its memory then.

Kafka's storage is formatted before the measurement.
"""

from __future__ import annotations

import time

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.systems import System, resident_mb, wait_for_first_response


def measure(system: System, _scale: float) -> Sample:
    """Start another server beside the running one, and stop it again."""
    server = system.start()
    try:
        wait_for_first_response(server)
        seconds = time.perf_counter() - server.process.started
        return {"start to first response": seconds, "resident, fresh": resident_mb(server)}
    finally:
        server.close()


BENCHMARK = Benchmark(
    "start",
    (Metric("start to first response", "s"), Metric("resident, fresh", "MB")),
    measure,
)
