"""The time from the start of the process to its first Metadata response, and its memory then.

Kafka's storage is formatted before the measurement. An echo server that imports only trio shows how
much of ours is the interpreter.
"""

from __future__ import annotations

import time

from benchmarks.benchmark import Benchmark, Metric, Sample
from benchmarks.echo import Echo
from benchmarks.systems import System, resident_mb, wait_for_first_response
from integration.wire.connection import Connection


def measure(system: System, _scale: float) -> Sample:
    """Start another server beside the running one, and stop it again."""
    server = system.start()
    try:
        wait_for_first_response(server)
        seconds = time.perf_counter() - server.process.started
        sample = {"start to first response": seconds, "resident, fresh": resident_mb(server)}
    finally:
        server.close()
    return sample | _echo() if system.name == "ours" else sample


def _echo() -> dict[str, float]:
    with Echo() as echo:
        with Connection(echo.bootstrap) as connection:
            connection.send(b"x")
            assert connection.socket.recv(1)
        seconds = time.perf_counter() - echo.process.started
        return {"echo on trio, start": seconds, "echo on trio, resident": resident_mb(echo)}


BENCHMARK = Benchmark(
    "start",
    (
        Metric("start to first response", "s"),
        Metric("echo on trio, start", "s"),
        Metric("resident, fresh", "MB"),
        Metric("echo on trio, resident", "MB"),
    ),
    measure,
    warms_up=False,
)
