"""The brokers that an experiment measures in real time: this one and, with a JVM, a real Kafka."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from benchmarks.systems import System, available
from integration.kafka.jars import KAFKA_VERSION
from integration.wire.connection import Connection
from integration.wire.requests import metadata, read_metadata

BROKER = "broker"  # the first column of an experiment that measures several
OURS = "antechamber"
NAMES = {"ours": OURS, "Kafka": f"Kafka {KAFKA_VERSION}"}


def each_broker(nodes: int = 1) -> Iterator[tuple[str, System]]:
    """Each broker with its name, started when it is its turn and then stopped."""
    for system in available(nodes):
        if system.name in NAMES:
            system.server = system.start()
            try:
                yield NAMES[system.name], system
            finally:
                system.server.close()


@contextmanager
def leader_of(system: System, topic: str) -> Iterator[tuple[int, Connection]]:
    """The leader of partition 0, and a connection to it."""
    with Connection(system.bootstrap) as first:
        brokers, topics = read_metadata(first.request(metadata([topic])))
    _, leaders = topics[topic]
    address = next(f"{host}:{port}" for node, host, port in brokers if node == leaders[0])
    with Connection(address) as connection:
        yield leaders[0], connection


@contextmanager
def after(delay_ms: float, do: Callable[[], object]) -> Iterator[None]:
    """Call *do* in a thread after *delay_ms*; the block ends after that."""
    timer = Timer(delay_ms / 1000, do)
    timer.start()
    try:
        yield
    finally:
        timer.join()
