"""Throughput and latency over TLS 1.3 with AES-256-GCM, by confluent-kafka.

The settings are those of the benchmarks without TLS: acks=all, one partition.
"""

from __future__ import annotations

from benchmarks import consuming, producing, round_trip
from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.systems import System

_RECORD_BYTES = 1000


def measure(system: System, scale: float) -> Sample:
    """Produce, consume, and single produces."""
    count = int(producing.MESSAGES[_RECORD_BYTES] * scale)
    seconds, cpu = producing.confluent(system, _RECORD_BYTES, count)
    consumed, consumed_cpu = consuming.confluent(system, scale)
    micros = round_trip.confluent(
        system, system.new_topic(), int(round_trip.CLIENT_MESSAGES * scale)
    )
    return {
        "TLS produce 1 KB": count * _RECORD_BYTES / 1e6 / seconds,
        "TLS produce 1 KB, broker CPU": cpu / (count * _RECORD_BYTES / 1e9),
        "TLS consume 1 KB": consumed,
        "TLS consume 1 KB, broker CPU": consumed_cpu,
        "TLS produce+flush p50": percentile(micros, 50),
    }


BENCHMARK = Benchmark(
    "tls",
    (
        Metric("TLS produce 1 KB", "MB/s", "higher"),
        Metric("TLS produce 1 KB, broker CPU", "s/GB"),
        Metric("TLS consume 1 KB", "MB/s", "higher"),
        Metric("TLS consume 1 KB, broker CPU", "s/GB"),
        Metric("TLS produce+flush p50", "us"),
    ),
    measure,
    tls=True,
    written_mb=200,
)
