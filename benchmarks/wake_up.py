"""The time from a produce on another connection to the response of a parked fetch."""

from __future__ import annotations

import time

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce

WAKE_UPS = 300
UNTIL_PARKED_SECONDS = 0.003


def measure(system: System, scale: float) -> Sample:
    """Wake one fetch after the other."""
    if not system.wakes_fetches:
        return {}
    topic = system.new_topic()
    record = produce(topic, 0, batch([bytes(100)]))
    fetches = [fetch(topic, 0, i, max_wait_ms=30_000) for i in range(int(WAKE_UPS * scale))]
    micros = []
    with Connection(system.bootstrap) as reader, Connection(system.bootstrap) as writer:
        for frame in fetches:
            reader.send(frame)
            time.sleep(UNTIL_PARKED_SECONDS)
            sent = time.perf_counter()
            writer.send(record)
            reader.receive()
            micros.append((time.perf_counter() - sent) * 1e6)
            writer.receive()
    return {"wake-up p50": percentile(micros, 50), "wake-up p99": percentile(micros, 99)}


BENCHMARK = Benchmark(
    "wake_up",
    (Metric("wake-up p50", "us"), Metric("wake-up p99", "us")),
    measure,
)
