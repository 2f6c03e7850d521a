"""The time from a produce on another connection to the response of a fetch, on one and three nodes.

Woken: the fetch has been parked for three milliseconds when the produce is sent, so the processes
may be asleep. End to end: the next record is produced as soon as the reader has the previous one
and has sent its next fetch, without a pause; the fetch may arrive before or after the record.
Both end when the reader has its response. Processor time is that of the broker for each record.
"""

from __future__ import annotations

import time
from functools import partial

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.ready_partition import ready_partition
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_fetch

WAKE_UPS = 300
RECORDS = 2000
UNTIL_PARKED_SECONDS = 0.003
NODES = 3


def measure(prefix: str, system: System, scale: float) -> Sample:
    """Wake one fetch after the other, with pauses and without."""
    if not system.wakes_fetches:
        return {}
    woken, _ = _records(system, max(2, int(WAKE_UPS * scale)), UNTIL_PARKED_SECONDS)
    through, cpu_us = _records(system, max(2, int(RECORDS * scale)), 0)
    return {
        f"{prefix}wake-up p50": percentile(woken, 50),
        f"{prefix}wake-up p99": percentile(woken, 99),
        f"{prefix}end to end p50": percentile(through, 50),
        f"{prefix}end to end p99": percentile(through, 99),
        f"{prefix}end to end, broker CPU each": cpu_us,
    }


def _records(system: System, count: int, pause_s: float) -> tuple[list[float], float]:
    """The microseconds of each record, and those of the broker's processor for each."""
    topic, _, leader = ready_partition(system)
    record = produce(topic, 0, batch([bytes(100)]))
    micros = []
    with Connection(leader) as reader, Connection(leader) as writer:
        offset = _end(reader, topic)
        fetches = [fetch(topic, 0, offset + i, max_wait_ms=30_000) for i in range(count)]
        used = system.cpu_seconds()
        for frame in fetches:
            reader.send(frame)
            if pause_s:
                time.sleep(pause_s)
            sent = time.perf_counter()
            writer.send(record)
            response = reader.receive()
            micros.append((time.perf_counter() - sent) * 1e6)
            writer.receive()
        used = system.cpu_seconds() - used
    assert read_fetch(response).records
    return micros, used * 1e6 / count


def _end(reader: Connection, topic: str) -> int:
    """The offset of the next record."""
    return read_fetch(reader.request(fetch(topic, 0, 0, max_wait_ms=0))).high_watermark


def _benchmark(name: str, prefix: str, nodes: int) -> Benchmark:
    metrics = (
        Metric(f"{prefix}wake-up p50", "us"),
        Metric(f"{prefix}wake-up p99", "us"),
        Metric(f"{prefix}end to end p50", "us"),
        Metric(f"{prefix}end to end p99", "us"),
        Metric(f"{prefix}end to end, broker CPU each", "us"),
    )
    return Benchmark(name, metrics, partial(measure, prefix), nodes)


BENCHMARK = _benchmark("wake_up", "", 1)
REPLICATED = _benchmark("replicated_wake_up", "3 replicas, ", NODES)
