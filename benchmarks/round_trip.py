"""The latency of single produces with acks=all and a record of 100 bytes.

Measured with a raw client, whose share is a few microseconds, and with confluent-kafka as produce
and flush.
"""

from __future__ import annotations

import time

from confluent_kafka import Producer

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce

RAW_REQUESTS = 4000
CLIENT_MESSAGES = 1500


def measure(system: System, scale: float) -> Sample:
    """Both clients, one after the other."""
    topic = system.new_topic()
    used = system.cpu_seconds()
    raw = _raw(system, topic, int(RAW_REQUESTS * scale))
    used = system.cpu_seconds() - used
    client = confluent(system, topic, int(CLIENT_MESSAGES * scale))
    return {
        "serial acks=all p50": percentile(raw, 50),
        "serial acks=all p99": percentile(raw, 99),
        "serial acks=all, broker CPU each": used * 1e6 / len(raw),
        "produce+flush p50": percentile(client, 50),
        "produce+flush p99": percentile(client, 99),
    }


def _raw(system: System, topic: str, count: int) -> list[float]:
    with Connection(system.bootstrap) as connection:
        return serial(connection, topic, count)


def serial(connection: Connection, topic: str, count: int) -> list[float]:
    """The microseconds of each produce of 100 bytes, one after the other."""
    frame = produce(topic, 0, batch([bytes(100)]))
    micros, response = [], b""
    for _ in range(count):
        sent = time.perf_counter()
        response = connection.request(frame)
        micros.append((time.perf_counter() - sent) * 1e6)
    assert read_produce(response).error == 0
    return micros


def confluent(system: System, topic: str, count: int) -> list[float]:
    """The microseconds of each produce and flush."""
    producer = Producer({**system.client, "acks": "all", "linger.ms": 0})
    producer.produce(topic, b"connects", partition=0)
    producer.flush(10)
    micros = []
    for _ in range(count):
        sent = time.perf_counter()
        producer.produce(topic, bytes(100), partition=0)
        assert producer.flush(10) == 0
        micros.append((time.perf_counter() - sent) * 1e6)
    return micros


BENCHMARK = Benchmark(
    "round_trip",
    (
        Metric("serial acks=all p50", "us"),
        Metric("serial acks=all p99", "us"),
        Metric("serial acks=all, broker CPU each", "us"),
        Metric("produce+flush p50", "us"),
        Metric("produce+flush p99", "us"),
    ),
    measure,
)
