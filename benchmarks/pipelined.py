"""Produce requests of 16 KB, five in flight on one connection, on one and three nodes.

A batch has sixteen records of 1 KB, as a producer with the default batch.size sends them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.ready_partition import ready_partition
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce

REQUESTS = 4000
IN_FLIGHT = 5
RECORDS = 16
RECORD_BYTES = 1000
NODES = 3


def measure(prefix: str, system: System, scale: float) -> Sample:
    """The throughput, and the processor time of a request."""
    count = max(IN_FLIGHT, int(REQUESTS * scale))
    used = system.cpu_seconds()
    rate = pipelined(system, count, [bytes(RECORD_BYTES)] * RECORDS)
    each_us = (system.cpu_seconds() - used) * 1e6 / count
    return {f"{prefix}16 KB, five in flight": rate, f"{prefix}16 KB, broker CPU each": each_us}


def pipelined(system: System, count: int, values: list[bytes]) -> float:
    """The megabytes of requests per second; each has one batch of *values*."""
    topic, _, leader = ready_partition(system)
    frame = produce(topic, 0, batch(values))
    with Connection(leader) as connection:
        started = time.perf_counter()
        for response in responses(connection, frame, count):
            assert read_produce(response).error == 0
        return count * len(frame) / 1e6 / (time.perf_counter() - started)


def responses(connection: Connection, frame: bytes, count: int) -> Iterator[bytes]:
    """The responses to *frame*, which is sent *count* times, five of them in flight."""
    for i in range(count + IN_FLIGHT):
        if i < count:
            connection.send(frame)
        if i >= IN_FLIGHT:
            yield connection.receive()


def _benchmark(name: str, prefix: str, nodes: int) -> Benchmark:
    metrics = (
        Metric(f"{prefix}16 KB, five in flight", "MB/s", "higher"),
        Metric(f"{prefix}16 KB, broker CPU each", "us"),
    )
    return Benchmark(name, metrics, partial(measure, prefix), nodes, written_mb=80 * nodes)


BENCHMARK = _benchmark("pipelined", "", 1)
REPLICATED = _benchmark("replicated_pipelined", "3 replicas, ", NODES)
