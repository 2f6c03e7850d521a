"""Thousands of parked fetches on a connection each: their cost, and their wake-up by one produce.

One epoll loop holds all connections, so that the client costs little.
"""

from __future__ import annotations

import resource
import select
import socket
import time

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection, address
from integration.wire.requests import fetch, produce, read_produce

COUNTS = (1000, 5000)
WATCHED_SECONDS = 2.0
UNKNOWN = -1
SETTLES_WITHIN_PEEKS = 40
SETTLED_CPU_SECONDS = 0.02  # an idle JVM uses some


def measure(system: System, scale: float) -> Sample:
    """First the smaller number, then the larger."""
    sample: dict[str, float] = {}
    if not system.wakes_fetches:
        return sample
    for count in COUNTS:
        sample.update(_crowd(system, int(count * scale), f"{count} parked", scale))
    return sample


def allow_connections() -> None:
    """Raise the soft limit of open files, which the servers inherit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _crowd(system: System, count: int, label: str, scale: float) -> Sample:
    watched_seconds = WATCHED_SECONDS * scale
    topic = system.new_topic()
    frame = fetch(topic, 0, 0, max_wait_ms=120_000)
    before_mb = system.resident_mb()
    crowd = [socket.create_connection(address(system.bootstrap)) for _ in range(count)]
    try:
        for each in crowd:
            each.sendall(frame)
        settle(system)
        cpu_before = system.cpu_seconds()
        time.sleep(watched_seconds)
        sample = {
            f"{label}, CPU": (system.cpu_seconds() - cpu_before) / watched_seconds * 100,
            f"{label}, memory each": (system.resident_mb() - before_mb) / count * 1000,
        }
        sample[f"{label}, all completed"] = wake(system, topic, crowd) * 1000
        return sample
    finally:
        for each in crowd:
            each.close()
        settle(system)


def settle(system: System) -> None:
    """Wait until the server has processed all requests."""
    used = system.cpu_seconds()
    for _ in range(SETTLES_WITHIN_PEEKS):
        time.sleep(0.25)
        before, used = used, system.cpu_seconds()
        if used - before <= SETTLED_CPU_SECONDS:
            return


def wake(system: System, topic: str, crowd: list[socket.socket]) -> float:
    """The seconds from a produce until all fetches of the crowd have responses."""
    poll = select.epoll()
    by_number = {each.fileno(): each for each in crowd}
    lacking = dict.fromkeys(by_number, UNKNOWN)
    for number in by_number:
        poll.register(number, select.EPOLLIN)
    with Connection(system.bootstrap) as writer:
        frame = produce(topic, 0, batch([bytes(100)]))
        started = time.perf_counter()
        writer.send(frame)
        missing = len(crowd)
        while missing:
            events = poll.poll(30)
            assert events, f"{missing} fetches have no response"
            for number, _ in events:
                response = by_number[number].recv(65536)
                if lacking[number] == UNKNOWN:
                    lacking[number] = 4 + int.from_bytes(response[:4], "big")
                lacking[number] -= len(response)
                missing -= not lacking[number]
        seconds = time.perf_counter() - started
        assert read_produce(writer.receive()).error == 0
    poll.close()
    return seconds


BENCHMARK = Benchmark(
    "parked",
    tuple(
        metric
        for count in COUNTS
        for metric in (
            Metric(f"{count} parked, CPU", "%"),
            Metric(f"{count} parked, memory each", "KB"),
            Metric(f"{count} parked, all completed", "ms"),
        )
    ),
    measure,
)
