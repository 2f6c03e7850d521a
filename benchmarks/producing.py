"""Producer throughput to one partition: confluent-kafka, and a raw client with ready batches.

confluent-kafka runs with acks=all, linger.ms=5, batch.size=1000000 and no compression; it needs a
core of its own. The raw client repeats the same 1 MB request, five in flight, to measure the broker
alone.
"""

from __future__ import annotations

import time

from confluent_kafka import Producer

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.pipelined import pipelined
from benchmarks.systems import System

SETTINGS = {
    "acks": "all",
    "linger.ms": 5,
    "batch.size": 1_000_000,
    "queue.buffering.max.messages": 2_000_000,
    "queue.buffering.max.kbytes": 1_000_000,
}
MESSAGES = {1000: 150_000, 100: 500_000}
RAW_REQUESTS = 300


def measure(system: System, scale: float) -> Sample:
    """Large records, small records, ready requests."""
    sample: dict[str, float] = {}
    for size, label in ((1000, "1 KB"), (100, "100 B")):
        count = int(MESSAGES[size] * scale)
        seconds, cpu = confluent(system, size, count)
        sample[f"produce {label}"] = count * size / 1e6 / seconds
        sample[f"produce {label}, broker CPU"] = cpu / (count * size / 1e9)
    sample["produce, raw 1 MB requests"] = pipelined(
        system, int(RAW_REQUESTS * scale), [bytes(1000)] * 1000
    )
    return sample


def confluent(system: System, size: int, count: int) -> tuple[float, float]:
    """The seconds, and the processor seconds of the broker, for *count* records."""
    topic = system.new_topic()
    producer = Producer({**system.client, **SETTINGS})
    producer.produce(topic, b"connects", partition=0)
    producer.flush(10)
    value = bytes(size)
    cpu_before = system.cpu_seconds()
    started = time.perf_counter()
    for _ in range(count):
        producer.produce(topic, value, partition=0)
    assert producer.flush(120) == 0
    return time.perf_counter() - started, system.cpu_seconds() - cpu_before


BENCHMARK = Benchmark(
    "producing",
    (
        Metric("produce 1 KB", "MB/s", "higher"),
        Metric("produce 1 KB, broker CPU", "s/GB"),
        Metric("produce 100 B", "MB/s", "higher"),
        Metric("produce 100 B, broker CPU", "s/GB"),
        Metric("produce, raw 1 MB requests", "MB/s", "higher"),
    ),
    measure,
    written_mb=600,
)
