"""The lateness of responses to fetches whose max_wait expires; negative values would be early.

Measured from before the request is sent until its response is read, minus max_wait; it includes the
round trip. The same is measured while 100,000 other timers are pending: those of members that have
a member id and have not joined yet, and whose session has a timeout of half an hour.
"""

from __future__ import annotations

import random
import selectors
import time
from functools import partial

from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.pending_members import add_pending_members
from benchmarks.systems import System
from integration.wire.connection import Connection
from integration.wire.requests import fetch

CONNECTIONS = 8
FETCHES_EACH = 50
MAX_WAIT_MS = range(5, 45)
PENDING = 100_000
_WITH_PENDING = f", {PENDING:,} timers pending"


def measure(suffix: str, system: System, scale: float) -> Sample:
    """A few connections, each of which waits repeatedly."""
    lateness = _lateness(system, scale)
    return {
        f"expiry lateness min{suffix}": min(lateness),
        f"expiry lateness p50{suffix}": percentile(lateness, 50),
        f"expiry lateness p99{suffix}": percentile(lateness, 99),
        f"expiry lateness max{suffix}": max(lateness),
    }


def measure_with_pending(system: System, scale: float) -> Sample:
    """The same with many pending timers, which are added in the first round."""
    if not system.keeps_records:
        return {}
    if "pending" not in system.topics:
        system.topics["pending"] = add_pending_members(system, int(PENDING * min(1, scale * 4)))
    return measure(_WITH_PENDING, system, scale)


def _lateness(system: System, scale: float) -> list[float]:
    """The lateness of each fetch in milliseconds."""
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
    return lateness


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


def _metrics(suffix: str) -> tuple[Metric, ...]:
    return tuple(
        Metric(f"expiry lateness {name}{suffix}", "ms") for name in ("min", "p50", "p99", "max")
    )


BENCHMARK = Benchmark("expiry", _metrics(""), partial(measure, ""))
WITH_PENDING = Benchmark(
    "expiry_with_pending", _metrics(_WITH_PENDING), measure_with_pending, own_servers=True
)
