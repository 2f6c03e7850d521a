"""The latency of a produce by its ``acks`` at two brokers, while a follower is paused."""

from __future__ import annotations

import time
from contextlib import ExitStack
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.atlas.brokers import BROKER, NAMES, after, each_broker, leader_of
from benchmarks.atlas.experiment import Experiment
from benchmarks.systems import System
from integration.kafka.properties import CONTROLLER_NODE
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import produce, read_produce

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NODES = 3
PAUSES_MS = (0, 100, 200, 400)
ACKS = {1: "1", -1: "all"}
WARM_UP = 30  # produces, for the compiler of a JVM


class Row(NamedTuple):
    """The median latency of produces, and for how long a follower was paused meanwhile, in ms."""

    broker: str
    acks: str
    paused_ms: int
    latency_ms: float


def measure(size: int) -> list[Row]:
    """*size* produces in each case."""
    return [
        Row(name, ACKS[acks], paused_ms, latency_ms)
        for name, system in each_broker(NODES)
        for (acks, paused_ms), latency_ms in _latencies(system, size).items()
    ]


def _latencies(system: System, size: int) -> dict[tuple[int, int], float]:
    topic = system.new_topic()
    with leader_of(system, topic) as (leader, connection):
        follower = next(
            node for node in range(1, NODES + 1) if node not in (leader, CONTROLLER_NODE)
        )
        for _ in range(WARM_UP):
            _produce(connection, topic, -1)
        return {
            (acks, paused_ms): median(
                _while_paused(system, follower, connection, topic, acks, paused_ms)
                for _ in range(size)
            )
            for acks in ACKS
            for paused_ms in PAUSES_MS
        }


def _while_paused(
    system: System, follower: int, connection: Connection, topic: str, acks: int, paused_ms: int
) -> float:
    """The latency of one produce; afterwards all replicas have its record."""
    assert system.pause is not None
    assert system.resume is not None
    with ExitStack() as stack:
        if paused_ms:
            system.pause(system.server, follower)
            stack.enter_context(after(paused_ms, partial(system.resume, system.server, follower)))
        latency_ms = _produce(connection, topic, acks)
    _produce(connection, topic, -1)
    return latency_ms


def _produce(connection: Connection, topic: str, acks: int) -> float:
    started = time.perf_counter()
    response = read_produce(connection.request(produce(topic, 0, batch([b"value"]), acks=acks)))
    assert response.error == 0
    return (time.perf_counter() - started) * 1000


def check(rows: list[Row]) -> None:
    """With all, the latency is at least the pause; with 1 it is less than half of the longest."""
    for row in rows:
        if row.acks == "all":
            assert row.latency_ms >= 0.9 * row.paused_ms, row
        else:
            assert row.latency_ms < 0.5 * PAUSES_MS[-1], row


def plot(axes: Axes, rows: list[Row]) -> None:
    """The latency against the pause, a line for each broker and acks."""
    for name, style in zip(NAMES.values(), ("o-", "s--"), strict=True):
        for acks in ACKS.values():
            line = [row for row in rows if (row.broker, row.acks) == (name, acks)]
            if line:
                axes.plot(
                    [row.paused_ms for row in line],
                    [row.latency_ms for row in line],
                    style,
                    label=f"{name}, acks={acks}",
                )
    axes.set_xlabel("pause of one in-sync follower, ms")
    axes.set_ylabel("latency of the produce, ms")
    axes.legend()


EXPERIMENT = Experiment(
    "acks_measured",
    "Produce latency and acks at two brokers",
    "At this broker and at a real Kafka, a produce with `acks=all` takes as long as an in-sync "
    "follower is paused, and a produce with `acks=1` does not wait for it.",
    f"{NODES} nodes in real time: a follower is paused when the produce is sent (a node of Kafka "
    "by SIGSTOP), and continues after the given time. A client measures the latency; each figure "
    "is a median.",
    (BROKER, "acks", "follower paused, ms", "latency, ms"),
    measure,
    check,
    plot,
    size=7,
    small_size=3,
    size_unit="produces in each case",
    is_virtual=False,
)
