"""Eight connections with serial acks=all produces, alone and beside a connection that floods.

The flood is a process of its own that keeps 64 small produce requests of another topic in flight.
On two cores it also takes processor time from the client that is measured.
"""

from __future__ import annotations

import time
from contextlib import ExitStack

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.flood import Flood
from benchmarks.ready_partition import ready_partition
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce

CONNECTIONS = 8
REQUESTS = 3000


def measure(system: System, scale: float) -> Sample:
    """First alone, then beside the flood."""
    topic, _, leader = ready_partition(system)
    frame = produce(topic, 0, batch([bytes(100)]))
    count = max(CONNECTIONS, int(REQUESTS * scale))
    flooded = ready_partition(system)
    with ExitStack() as stack:
        others = [stack.enter_context(Connection(leader)) for _ in range(CONNECTIONS)]
        alone = _in_turn(others, frame, count)
        stack.enter_context(Flood(flooded.address, flooded.topic))
        beside = _in_turn(others, frame, count)
    return {
        "8 connections in turn, p50": percentile(alone, 50),
        "8 connections in turn, p99": percentile(alone, 99),
        "the same beside a flood, p50": percentile(beside, 50),
        "the same beside a flood, p99": percentile(beside, 99),
    }


def _in_turn(others: list[Connection], frame: bytes, count: int) -> list[float]:
    """The microseconds of each request."""
    micros = []
    for number in range(count):
        connection = others[number % len(others)]
        sent = time.perf_counter()
        response = connection.request(frame)
        micros.append((time.perf_counter() - sent) * 1e6)
        assert read_produce(response).error == 0
    return micros


BENCHMARK = Benchmark(
    "fairness",
    (
        Metric("8 connections in turn, p50", "us"),
        Metric("8 connections in turn, p99", "us"),
        Metric("the same beside a flood, p50", "us"),
        Metric("the same beside a flood, p99", "us"),
    ),
    measure,
)
