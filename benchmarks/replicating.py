"""Three nodes, three replicas, acks=all: serial, in bulk, and waiting for a follower.

For the last one a thousand produces on a connection each are parked because one follower is paused;
the time is measured from the request to resume it until the last response, because a broker may
complete the produces before it responds to that request.
"""

from __future__ import annotations

import select
import socket
import time

from confluent_kafka import Producer

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.producing import SETTINGS
from benchmarks.ready_partition import REPLICATED_WITHIN_SECONDS, ready_partition
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce

NODES = 3
SERIAL_REQUESTS = 3000
MESSAGES = 60_000
PARKED = 1000
WATCHED_SECONDS = 2.0


def measure(system: System, scale: float) -> Sample:
    """Serial, in bulk, parked."""
    used = system.cpu_seconds()
    serial = _serial(system, int(SERIAL_REQUESTS * scale))
    used = system.cpu_seconds() - used
    return {
        "3 replicas, serial acks=all p50": percentile(serial, 50),
        "3 replicas, serial acks=all p99": percentile(serial, 99),
        "3 replicas, serial acks=all, broker CPU each": used * 1e6 / len(serial),
        "3 replicas, produce 1 KB": _bulk(system, int(MESSAGES * scale)),
        **_parked(system, int(PARKED * scale), scale),
    }


def _serial(system: System, count: int) -> list[float]:
    topic, _, leader = ready_partition(system)
    frame = produce(topic, 0, batch([bytes(1000)]))
    micros = []
    with Connection(leader) as connection:
        for _ in range(count):
            sent = time.perf_counter()
            response = connection.request(frame)
            micros.append((time.perf_counter() - sent) * 1e6)
            assert read_produce(response).error == 0
    return micros


def _bulk(system: System, count: int) -> float:
    topic, _, _ = ready_partition(system)
    producer = Producer({**system.client, **SETTINGS})
    producer.produce(topic, b"connects", partition=0)
    producer.flush(10)
    value = bytes(1000)
    started = time.perf_counter()
    for _ in range(count):
        producer.produce(topic, value, partition=0)
    assert producer.flush(120) == 0
    return count * len(value) / 1e6 / (time.perf_counter() - started)


def _parked(system: System, count: int, scale: float) -> Sample:
    assert system.pause is not None
    assert system.resume is not None
    topic, leader, where = ready_partition(system)
    slow = next(node for node in range(1, NODES + 1) if node != leader)
    host, port = where.split(":")
    crowd = [socket.create_connection((host, int(port))) for _ in range(count)]
    frame = produce(topic, 0, batch([bytes(100)]))
    system.pause(system.server, slow)
    try:
        before_mb = system.resident_mb()
        for each in crowd:
            each.sendall(frame)
        time.sleep(1)
        watched = WATCHED_SECONDS * scale
        cpu = system.cpu_seconds()
        time.sleep(watched)
        sample = {
            "produces parked, CPU": (system.cpu_seconds() - cpu) / watched * 100,
            "produces parked, memory each": (system.resident_mb() - before_mb) / count * 1000,
        }
    except BaseException:
        system.resume(system.server, slow)
        raise
    sample["produces parked, all completed after resume"] = (
        _seconds_to_complete(system, slow, crowd) * 1000
    )
    for each in crowd:
        each.close()
    return sample


def _seconds_to_complete(system: System, slow: int, crowd: list[socket.socket]) -> float:
    assert system.resume is not None
    poll = select.epoll()
    for each in crowd:
        poll.register(each, select.EPOLLIN | select.EPOLLONESHOT)
    started = time.perf_counter()
    system.resume(system.server, slow)
    missing = len(crowd)
    while missing:
        events = poll.poll(REPLICATED_WITHIN_SECONDS)
        assert events, f"{missing} produces have no response"
        missing -= len(events)
    seconds = time.perf_counter() - started
    poll.close()
    return seconds


BENCHMARK = Benchmark(
    "replicating",
    (
        Metric("3 replicas, serial acks=all p50", "us"),
        Metric("3 replicas, serial acks=all p99", "us"),
        Metric("3 replicas, serial acks=all, broker CPU each", "us"),
        Metric("3 replicas, produce 1 KB", "MB/s", "higher"),
        Metric("produces parked, CPU", "%"),
        Metric("produces parked, memory each", "KB"),
        Metric("produces parked, all completed after resume", "ms"),
    ),
    measure,
    nodes=NODES,
    written_mb=250,
)
