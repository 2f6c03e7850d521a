"""Clients that time each of their requests, for processes of their own: many at once are a load.

Each talks to the leader of one partition of a topic, one request at a time, until a file is there.
Correlation ids are the client's own, so that a record can be told by its number.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from integration.scheduling import run_delay_ns
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, metadata, produce, read_fetch, read_metadata

NUMBERS = 1_000_000  # of correlation ids, for each client
PAUSE_SECONDS = 0.001
WAIT_MS = 50


class Seen(NamedTuple):
    """A request as its client saw it, and how long either side had waited for a processor."""

    correlation_id: int
    took_ms: float
    run_delay_ms: float


class Client(NamedTuple):
    """Who asks whom: ``pid`` is the broker's."""

    bootstrap: str
    pid: int
    topic: str
    partition: int
    until: Path


def produces(client: Client, first: int) -> list[Seen]:
    """With acks=all, numbered from *first* on."""
    topic, partition = client.topic, client.partition

    def request(number: int, _answer: bytes | None) -> bytes:
        return produce(topic, partition, batch([b"news"]), correlation_id=number)

    return _seen(client, first, request)


def long_polls(client: Client, first: int) -> list[Seen]:
    """From the end on each, so that they wait for a produce or for their time."""
    topic, partition = client.topic, client.partition

    def request(number: int, answer: bytes | None) -> bytes:
        offset = 0 if answer is None else read_fetch(answer).high_watermark
        return fetch(topic, partition, offset, max_wait_ms=WAIT_MS, correlation_id=number)

    return _seen(client, first, request)


def _seen(client: Client, first: int, request: Callable[[int, bytes | None], bytes]) -> list[Seen]:
    asked: list[tuple[int, float]] = []
    delays_ms: list[float] = []
    answer = None
    with Connection(_leader(client)) as connection:
        while not client.until.exists():
            number = first + len(asked)
            frame = request(number, answer)
            delays_ms.append((run_delay_ns(client.pid) + run_delay_ns("self")) / 1e6)
            since = time.perf_counter()
            connection.send(frame)
            answer = connection.receive()
            asked.append((number, (time.perf_counter() - since) * 1000))
            time.sleep(PAUSE_SECONDS)
    # A delay is counted when it is over: by then the broker has answered once more.
    windows = zip(asked, delays_ms, delays_ms[2:], strict=False)
    return [Seen(number, took, after - before) for (number, took), before, after in windows]


def _leader(client: Client) -> str:
    with Connection(client.bootstrap) as connection:
        brokers, topics = read_metadata(connection.ask(metadata([client.topic])))
    _, leaders = topics[client.topic]
    [at] = [f"{host}:{port}" for n, host, port in brokers if n == leaders[client.partition]]
    return at
