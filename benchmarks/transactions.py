"""Transactions of one producer and one partition with ten records each, and their latency.

The raw client uses the newest protocol (Produce v12, EndTxn v5), as the Java client and franz-go
do, and repeats a request at once if the broker responds CONCURRENT_TRANSACTIONS. confluent-kafka
uses the older one, and waits for 20 ms before it repeats AddPartitionsToTxn.

Processor time is that of the first node's process: a real Kafka has one process for each node.

Latency: a read_committed consumer has a fetch parked at the last stable offset. The time is
measured from the Produce request of a transaction until the fetch response with its records. A
transaction starts when the previous one has been read.
"""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass
from functools import partial

from confluent_kafka import Producer

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.systems import System
from benchmarks.transactional_client import TransactionalClient
from integration.wire.connection import Connection
from integration.wire.requests import fetch, read_fetch

RECORDS = [bytes(100)] * 10
TRANSACTIONS = 600
CLIENT_TRANSACTIONS = 100
LATENCIES = 200
READ_COMMITTED = 1
UNTIL_PARKED_SECONDS = 0.003


@dataclass(frozen=True)
class _Names:
    """The metrics of a cluster size."""

    raw: str
    cpu: str
    confluent: str
    latency: str


_ONE = _Names(
    "transactions",
    "transactions, broker CPU",
    "transactions, confluent-kafka",
    "read_committed, p50",
)
_THREE = _Names(*(f"3 replicas, {name}" for name in astuple(_ONE)))


def measure(names: _Names, system: System, scale: float) -> Sample:
    """Both clients, then the latency."""
    if not system.keeps_records:
        return {}
    rate, cpu = _raw(system, int(TRANSACTIONS * scale))
    return {
        names.raw: rate,
        names.cpu: cpu,
        names.confluent: _confluent(system, max(2, int(CLIENT_TRANSACTIONS * scale))),
        names.latency: percentile(_latencies(system, int(LATENCIES * scale)), 50),
    }


def _raw(system: System, count: int) -> tuple[float, float]:
    """Transactions per second, and milliseconds of processor time each."""
    with TransactionalClient(system.bootstrap, system.new_topic()) as client:
        client.produce(RECORDS)
        client.commit()
        cpu_before, started = system.cpu_seconds(), time.perf_counter()
        for _ in range(count):
            client.produce(RECORDS)
            client.commit()
        seconds, cpu = time.perf_counter() - started, system.cpu_seconds() - cpu_before
        return count / seconds, cpu * 1e3 / count


def _confluent(system: System, count: int) -> float:
    topic = system.new_topic()
    who = {**system.client, "transactional.id": topic, "linger.ms": 0}
    producer = Producer({**who, "log_level": 0})
    producer.init_transactions(30)
    started = 0.0
    for number in range(count + 1):
        if number == 1:
            started = time.perf_counter()
        producer.begin_transaction()
        for value in RECORDS:
            producer.produce(topic, value, partition=0)
        producer.commit_transaction(30)
    return count / (time.perf_counter() - started)


def _latencies(system: System, count: int) -> list[float]:
    topic = system.new_topic()
    millis = []
    with (
        TransactionalClient(system.bootstrap, topic) as client,
        Connection(client.leader) as reader,
    ):
        offset = 0
        for _ in range(count):
            wait = fetch(topic, 0, offset, max_wait_ms=30_000, isolation_level=READ_COMMITTED)
            reader.send(wait)
            time.sleep(UNTIL_PARKED_SECONDS)
            sent = time.perf_counter()
            client.produce(RECORDS)
            client.commit()
            response = read_fetch(reader.receive())
            millis.append((time.perf_counter() - sent) * 1e3)
            assert (response.error, response.records != b"") == (0, True)
            offset = response.last_stable_offset
    return millis


def _benchmark(name: str, names: _Names, nodes: int) -> Benchmark:
    metrics = (
        Metric(names.raw, "1/s", "higher"),
        Metric(names.cpu, "ms"),
        Metric(names.confluent, "1/s", "higher"),
        Metric(names.latency, "ms"),
    )
    return Benchmark(name, metrics, partial(measure, names), nodes)


BENCHMARK = _benchmark("transactions", _ONE, 1)
REPLICATED = _benchmark("replicated_transactions", _THREE, 3)
