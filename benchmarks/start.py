"""From starting the process to its first Metadata answer, and what it then occupies.

Kafka's storage is formatted before the clock runs.
"""

from __future__ import annotations

import time

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.systems import System, resident_mb, wait_for_first_answer


def measure(system: System, _scale: float) -> Sample:
    """Start another server beside the one that runs, and stop it again."""
    server = system.start()
    try:
        wait_for_first_answer(server)
        seconds = time.perf_counter() - server.process.started
        return {"start to first answer": seconds, "resident, fresh": resident_mb(server)}
    finally:
        server.close()


BENCHMARK = Benchmark(
    "start",
    (Metric("start to first answer", "s"), Metric("resident, fresh", "MB")),
    measure,
)
