"""A share group (KIP-932): ten raw consumers of one partition, their throughput and latency.

Raw clients in one thread, so that mostly the broker is measured: a client library spends more time
for a record than the broker. Each fetch accepts the records of the previous one, so that the broker
stores a change of the group's state for each fetch.

Throughput: the topic has batches of a hundred records of 100 bytes; a fetch acquires a batch.
Latency: the fetches of all ten wait, and one record is produced: the time until one of them has it.
Woken: all of them have waited for three milliseconds. End to end: the next record is produced as
soon as the consumer of the previous one has sent its next fetch.
"""

from __future__ import annotations

import time
import uuid

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.ready_partition import ready_partition
from benchmarks.share_members import Delivery, Members
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import list_offsets, produce, read_list_offsets, read_produce

CONSUMERS = 10
BATCHES = 3000
RECORDS_PER_BATCH = 100
WAKE_UPS = 300
RECORDS = 1000
UNTIL_PARKED_SECONDS = 0.003
_MAX_WAIT_MS = 30_000
_LATEST = -1


def measure(system: System, scale: float) -> Sample:
    """Read a prepared topic, then wake consumers with pauses and without."""
    if not system.has_share_groups:
        return {}
    rate, cpu_us = _throughput(system, max(CONSUMERS, int(BATCHES * scale)))
    woken = _latencies(system, max(2, int(WAKE_UPS * scale)), UNTIL_PARKED_SECONDS)
    through = _latencies(system, max(2, int(RECORDS * scale)), 0)
    return {
        "share group, 10 consumers": rate,
        "share group, broker CPU each": cpu_us,
        "share group, wake-up p50": percentile(woken, 50),
        "share group, end to end p50": percentile(through, 50),
    }


def _throughput(system: System, batches: int) -> tuple[float, float]:
    """The records per second, and the microseconds of the broker's processor for each."""
    topic, leader = _filled_topic(system, batches)
    with Members(leader, topic, _new_group(), CONSUMERS) as members:
        remaining = count = batches * RECORDS_PER_BATCH - members.open()
        used, began = system.cpu_seconds(), time.perf_counter()
        for member in members.all:
            member.send_fetch(_MAX_WAIT_MS, RECORDS_PER_BATCH)
        while remaining > 0:
            for delivery in members.delivered():
                remaining -= delivery.record_count
                delivery.member.send_fetch(_MAX_WAIT_MS, RECORDS_PER_BATCH)
        seconds, used = time.perf_counter() - began, system.cpu_seconds() - used
    return count / seconds, used * 1e6 / count


def _latencies(system: System, count: int, pause_s: float) -> list[float]:
    """The microseconds from each produce until a consumer has the record."""
    topic, _, leader = ready_partition(system)
    record = produce(topic, 0, batch([bytes(100)]))
    micros = []
    with (
        Connection(leader) as writer,
        Members(leader, topic, _new_group(), CONSUMERS, start=_end(writer, topic)) as members,
    ):
        members.open()
        for member in members.all:
            member.send_fetch(_MAX_WAIT_MS, 1)
        for _ in range(count):
            if pause_s:
                time.sleep(pause_s)
            sent = time.perf_counter()
            writer.send(record)
            delivery = _next_record(members)
            micros.append((time.perf_counter() - sent) * 1e6)
            assert read_produce(writer.receive()).error == 0
            delivery.member.send_fetch(_MAX_WAIT_MS, 1)
    return micros


def _next_record(members: Members) -> Delivery:
    """Wait until a consumer has a record.

    Kafka also completes fetches for which nothing is left; those are sent again.
    """
    while True:
        found = None
        for delivery in members.delivered():
            if delivery.record_count:
                found = delivery
            else:
                delivery.member.send_fetch(_MAX_WAIT_MS, 1)
        if found is not None:
            return found


def _filled_topic(system: System, batches: int) -> tuple[str, str]:
    """A topic with that many batches, and the address of its leader."""
    key = f"share {batches}"
    if key not in system.topics:
        system.topics[key] = system.new_topic()
        frame = produce(system.topics[key], 0, batch([bytes(100)] * RECORDS_PER_BATCH))
        with Connection(system.bootstrap) as connection:
            for _ in range(batches):
                assert read_produce(connection.request(frame)).error == 0
    return system.topics[key], system.bootstrap


def _end(connection: Connection, topic: str) -> int:
    """The offset of the next record."""
    error, offset = read_list_offsets(connection.request(list_offsets(topic, 0, _LATEST)))
    assert error == 0
    return offset


def _new_group() -> str:
    return f"benchmark-{uuid.uuid4().hex[:12]}"


BENCHMARK = Benchmark(
    "share",
    (
        Metric("share group, 10 consumers", "records/s", "higher"),
        Metric("share group, broker CPU each", "us"),
        Metric("share group, wake-up p50", "us"),
        Metric("share group, end to end p50", "us"),
    ),
    measure,
)
