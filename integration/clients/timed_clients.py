"""Clients that time each of their requests, for processes of their own: many at once are a load.

Each talks to the leader of one partition of a topic, one request at a time, until a file is there.
Correlation ids are the client's own, so that a record can be told by its number.

The kernel stamps what arrives, so that it does not matter when this process has its turn.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from integration.machine.scheduling import on_cpu_ns, run_delay_ns
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, metadata, produce, read_fetch, read_metadata

NUMBERS = 1_000_000  # of correlation ids, for each client
PAUSE_SECONDS = 0.001
WAIT_MS = 50

_SO_TIMESTAMPNS = 35  # on Linux; the module socket has no name for it
_TIMESPEC = struct.Struct("@ll")


class Turns(NamedTuple):
    """What a process has had of the processors: run, and waited for one."""

    ran_ms: float
    waited_ms: float

    @classmethod
    def of(cls, pid: int) -> Turns:
        """Since it began."""
        return cls(on_cpu_ns(pid) / 1e6, run_delay_ns(pid) / 1e6)

    def since(self, before: Turns) -> Turns:
        """From *before* until now."""
        return Turns(self.ran_ms - before.ran_ms, self.waited_ms - before.waited_ms)


class Seen(NamedTuple):
    """A request as its client saw it, in Unix time; ``turns`` are those of the broker meanwhile."""

    correlation_id: int
    sent_us: float
    answered_us: float
    turns: Turns


class TimedConnection(Connection):
    """Knows when the kernel had what was received last."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self.received_us = 0.0

    def _more(self) -> bytes:
        data, [(_, _, stamp)], _, _ = self.socket.recvmsg(1 << 20, 64)
        seconds, nanoseconds = _TIMESPEC.unpack(stamp)
        self.received_us = seconds * 1e6 + nanoseconds / 1000
        return data


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
    asked: list[tuple[int, float, float]] = []
    turns: list[Turns] = []
    answer = None
    with TimedConnection(_leader(client)) as connection:
        while not client.until.exists():
            number = first + len(asked)
            frame = request(number, answer)
            turns.append(Turns.of(client.pid))
            sent_us = time.time_ns() / 1000
            answer = connection.ask(frame)
            asked.append((number, sent_us, connection.received_us))
            time.sleep(PAUSE_SECONDS)
    # What a process waits is counted when it is over: by then the broker has answered once more.
    windows = zip(asked, turns, turns[2:], strict=False)
    return [Seen(*facts, after.since(before)) for facts, before, after in windows]


def _leader(client: Client) -> str:
    with Connection(client.bootstrap) as connection:
        brokers, topics = read_metadata(connection.ask(metadata([client.topic])))
    _, leaders = topics[client.topic]
    [at] = [f"{host}:{port}" for n, host, port in brokers if n == leaders[client.partition]]
    return at
