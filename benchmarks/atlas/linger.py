"""The latency and the batches of a producer by its ``linger.ms`` and ``batch.size``."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from confluent_kafka import Producer

from benchmarks.atlas.brokers import BROKER, NAMES, each_broker, leader_of
from benchmarks.atlas.experiment import Experiment
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.requests import fetch, produce, read_fetch

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LINGER_MS = (0, 100, 200, 400)
LARGE, SMALL = 1_000_000, 1000
VALUE = bytes(100)
INTERVAL_MS = 10
WARM_UP = 2000  # produces, for the compiler of a JVM


class Row(NamedTuple):
    """The records of one producer: the median latency in ms, and the mean size of a batch."""

    broker: str
    batch_size: int
    linger_ms: int
    latency_ms: float
    records_of_batch: float


def measure(size: int) -> list[Row]:
    """*size* records of each producer."""
    rows = []
    for name, system in each_broker():
        _warm_up(system)
        for batch_size in (LARGE, SMALL):
            for linger_ms in LINGER_MS:
                figures = _produce(system, batch_size, linger_ms, size)
                rows.append(Row(name, batch_size, linger_ms, *figures))
    return rows


def _warm_up(system: System) -> None:
    topic = system.new_topic()
    with leader_of(system, topic) as (_, connection):
        for _ in range(WARM_UP):
            connection.request(produce(topic, 0, batch([VALUE])))


def _produce(system: System, batch_size: int, linger_ms: int, size: int) -> tuple[float, float]:
    topic = system.new_topic()
    producer = Producer(
        {
            "bootstrap.servers": system.bootstrap,
            "linger.ms": linger_ms,
            "batch.size": batch_size,
            "acks": "all",
        }
    )
    producer.produce(topic, VALUE, partition=0)  # which connects
    assert producer.flush(20) == 0
    latencies_ms: list[float] = []
    started = time.perf_counter()
    for number in range(size):
        due = started + number * INTERVAL_MS / 1000
        while (sent := time.perf_counter()) < due:
            producer.poll(due - sent)

        def delivered(error: object, _message: object, sent: float = sent) -> None:
            assert error is None
            latencies_ms.append((time.perf_counter() - sent) * 1000)

        producer.produce(topic, VALUE, partition=0, on_delivery=delivered)
    assert producer.flush(20) == 0
    _, *sizes = _batch_sizes(system, topic)
    assert sum(sizes) == len(latencies_ms) == size
    return median(latencies_ms), len(latencies_ms) / len(sizes)


def _batch_sizes(system: System, topic: str) -> Iterator[int]:
    """The number of records in each batch of the log."""
    with leader_of(system, topic) as (_, connection):
        records = read_fetch(connection.request(fetch(topic, 0, 0))).records
    at = 0
    while at < len(records):
        (length,) = struct.unpack_from(">i", records, at + 8)
        (last_offset_delta,) = struct.unpack_from(">i", records, at + 23)
        yield last_offset_delta + 1
        at += 12 + length


def check(rows: list[Row]) -> None:
    """Lingering makes batches larger and records later, unless a small batch size ends it."""
    cells = {row[:3]: row for row in rows}
    for broker in {row.broker for row in rows}:
        shortest, longest = (cells[broker, LARGE, ms] for ms in (LINGER_MS[0], LINGER_MS[-1]))
        small = cells[broker, SMALL, LINGER_MS[-1]]
        assert longest.records_of_batch > 2 * shortest.records_of_batch, (shortest, longest)
        assert longest.latency_ms > 2 * shortest.latency_ms, (shortest, longest)
        assert small.records_of_batch < 0.5 * longest.records_of_batch, (small, longest)
        assert small.latency_ms < 0.5 * longest.latency_ms, (small, longest)


def plot(axes: Axes, rows: list[Row]) -> None:
    """The latency against linger.ms, a line for each broker and batch size."""
    for name, style in zip(NAMES.values(), ("o-", "s--"), strict=True):
        for batch_size in (LARGE, SMALL):
            line = [row for row in rows if (row.broker, row.batch_size) == (name, batch_size)]
            if line:
                axes.plot(
                    [row.linger_ms for row in line],
                    [row.latency_ms for row in line],
                    style,
                    label=f"{name}, batch.size={batch_size:,}",
                )
    axes.set_xlabel("linger.ms")
    axes.set_ylabel("median latency of a record, ms")
    axes.legend()


EXPERIMENT = Experiment(
    "linger",
    "Linger and batch size",
    "A longer `linger.ms` makes a producer's batches larger and its records later, until a batch "
    "reaches `batch.size`; this is the client's wait, so it is the same at both brokers.",
    f"A producer of confluent-kafka sends a record of {len(VALUE)} bytes each {INTERVAL_MS} ms to "
    "one node with `acks=all`. The latency is that from the call until the delivery report; the "
    "batches are counted in the log.",
    (BROKER, "batch.size", "linger.ms", "latency, ms", "records of a batch"),
    measure,
    check,
    plot,
    size=300,
    small_size=150,
    size_unit="records in each case",
    is_virtual=False,
)
