"""The lateness of responses to fetches whose max_wait expires; negative values would be early.

Measured from before the request is sent until its response is read, minus max_wait; it includes the
round trip.
"""

from __future__ import annotations

import random
import selectors
import time

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.systems import System
from integration.wire.connection import Connection
from integration.wire.requests import fetch

CONNECTIONS = 8
FETCHES_EACH = 50
MAX_WAIT_MS = range(5, 45)


def measure(system: System, scale: float) -> Sample:
    """A few connections, each of which waits repeatedly."""
    topic = system.new_topic()
    frames = {wait: fetch(topic, 0, 0, max_wait_ms=wait) for wait in MAX_WAIT_MS}
    draw = random.Random(1)
    lateness: list[float] = []
    with selectors.DefaultSelector() as selector:
        for _ in range(CONNECTIONS):
            waiting = _Waiting(Connection(system.bootstrap), frames, draw)
            selector.register(waiting.connection.socket, selectors.EVENT_READ, waiting)
        while len(lateness) < CONNECTIONS * FETCHES_EACH * scale:
            for key, _ in selector.select():
                lateness.append(key.data.finish_fetch())
        for key in list(selector.get_map().values()):
            key.data.connection.close()
    return {
        "expiry lateness min": min(lateness),
        "expiry lateness p50": percentile(lateness, 50),
        "expiry lateness p99": percentile(lateness, 99),
        "expiry lateness max": max(lateness),
    }


class _Waiting:
    """A connection with one parked fetch."""

    def __init__(
        self, connection: Connection, frames: dict[int, bytes], draw: random.Random
    ) -> None:
        self.connection = connection
        self._frames = frames
        self._draw = draw
        self._fetch()

    def finish_fetch(self) -> float:
        """Read the response, send the next fetch, and return the lateness in milliseconds."""
        late_ms = (time.perf_counter() - self._sent) * 1000 - self._wait_ms
        self.connection.receive()
        self._fetch()
        return late_ms

    def _fetch(self) -> None:
        self._wait_ms = self._draw.choice(MAX_WAIT_MS)
        self._sent = time.perf_counter()
        self.connection.send(self._frames[self._wait_ms])


BENCHMARK = Benchmark(
    "expiry",
    (
        Metric("expiry lateness min", "ms"),
        Metric("expiry lateness p50", "ms"),
        Metric("expiry lateness p99", "ms"),
        Metric("expiry lateness max", "ms"),
    ),
    measure,
)
