"""The end of a long poll at two brokers: enough bytes, too few bytes, or none."""

from __future__ import annotations

import time
from contextlib import ExitStack
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.atlas.brokers import BROKER, NAMES, after, each_broker, leader_of
from benchmarks.atlas.experiment import Experiment
from benchmarks.systems import System
from integration.wire.batches import batch, values
from integration.wire.connection import Connection
from integration.wire.requests import fetch, produce, read_fetch, read_produce

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MAX_WAIT_MS = (200, 400, 800)
ENOUGH, TOO_FEW, NONE = "enough bytes", "too few bytes", "none"
APPENDS = (ENOUGH, TOO_FEW, NONE)
MANY_BYTES = 1 << 20
WARM_UP = 30  # fetches, for the compiler of a JVM


class Row(NamedTuple):
    """The median latency of fetches, in ms, and the number of records in each response."""

    broker: str
    appended: str
    max_wait_ms: int
    latency_ms: float
    records: int


def measure(size: int) -> list[Row]:
    """*size* fetches in each case; the append follows after half of ``max_wait_ms``."""
    return [row for name, system in each_broker() for row in _fetches(name, system, size)]


def _fetches(name: str, system: System, size: int) -> list[Row]:
    topic = system.new_topic()
    with leader_of(system, topic) as (_, reader), Connection(system.bootstrap) as writer:
        log = _Log(topic, reader, writer)
        for _ in range(WARM_UP):
            log.fetch(ENOUGH, 2)
        rows = []
        for appended in APPENDS:
            for max_wait_ms in MAX_WAIT_MS:
                fetched = [log.fetch(appended, max_wait_ms) for _ in range(size)]
                [records] = {records for _, records in fetched}
                latency_ms = median(latency_ms for latency_ms, _ in fetched)
                rows.append(Row(name, appended, max_wait_ms, latency_ms, records))
        return rows


class _Log:
    """A partition that one connection writes while another one reads its end."""

    def __init__(self, topic: str, reader: Connection, writer: Connection) -> None:
        self._topic = topic
        self._reader = reader
        self._writer = writer
        self._end = 0

    def fetch(self, appended: str, max_wait_ms: int) -> tuple[float, int]:
        """Fetch from the end: the latency in ms, and the number of records."""
        least = 1 if appended == ENOUGH else MANY_BYTES
        request = fetch(self._topic, 0, self._end, max_wait_ms=max_wait_ms, min_bytes=least)
        with ExitStack() as stack:
            if appended != NONE:
                stack.enter_context(after(max_wait_ms / 2, self._append))
            started = time.perf_counter()
            response = read_fetch(self._reader.request(request))
            latency_ms = (time.perf_counter() - started) * 1000
        assert response.error == 0
        return latency_ms, len(list(values(response.records)))

    def _append(self) -> None:
        response = read_produce(
            self._writer.request(produce(self._topic, 0, batch([b"value"]), acks=1))
        )
        assert response.error == 0
        self._end = response.base_offset + 1


def check(rows: list[Row]) -> None:
    """Only enough bytes end a fetch before max_wait_ms; its response has what has arrived."""
    for row in rows:
        assert row.records == (0 if row.appended == NONE else 1), row
        if row.appended == ENOUGH:
            assert 0.45 * row.max_wait_ms < row.latency_ms < 0.95 * row.max_wait_ms, row
        else:
            assert row.latency_ms >= 0.99 * row.max_wait_ms, row


def plot(axes: Axes, rows: list[Row]) -> None:
    """The latency against max_wait_ms, a line for each broker and append."""
    colours = ("#0969da", "#bc4c00", "#1a7f37")
    for name, style in zip(NAMES.values(), ("-", "--"), strict=True):
        for appended, marker, colour in zip(APPENDS, "osx", colours, strict=True):
            line = [row for row in rows if (row.broker, row.appended) == (name, appended)]
            if line:
                axes.plot(
                    [row.max_wait_ms for row in line],
                    [row.latency_ms for row in line],
                    f"{marker}{style}",
                    color=colour,
                    label=f"{name}, {appended}",
                )
    axes.set_xlabel("max_wait_ms")
    axes.set_ylabel("latency of the fetch, ms")
    axes.legend(fontsize=8)


EXPERIMENT = Experiment(
    "fetch_measured",
    "Long polls and reads at timeout at two brokers",
    "At this broker and at a real Kafka, an append that reaches `min_bytes` ends a fetch at once; "
    "otherwise the fetch ends at `max_wait_ms`, and its response has the records that have "
    "arrived meanwhile.",
    "One node in real time: a client fetches from the end of the log, and another one appends a "
    f"record after half of `max_wait_ms`. That is enough for a `min_bytes` of 1 and too little "
    f"for {MANY_BYTES:,}; at the timeout the broker reads the log again. Each latency is a median.",
    (BROKER, "append", "max_wait_ms", "latency, ms", "records"),
    measure,
    check,
    plot,
    size=5,
    small_size=3,
    size_unit="fetches in each case",
    is_virtual=False,
)
