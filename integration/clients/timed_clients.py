"""Clients that measure the time of each request, in processes of their own.

Each sends requests to the leader of one partition, one at a time, until a file exists. Correlation
ids are unique to a client, so that a record can be matched to its request.

The kernel's timestamps of received data are used, so that the scheduling of this process does not
matter.
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

NUMBERS = 1_000_000  # correlation ids for each client
PAUSE_SECONDS = 0.001
WAIT_MS = 50

_SO_TIMESTAMPNS = 35  # on Linux; the module socket does not define it
_TIMESPEC = struct.Struct("@ll")


class Turns(NamedTuple):
    """The scheduling of a process: its time on a processor, and its time waiting for one."""

    ran_ms: float
    waited_ms: float

    @classmethod
    def of(cls, pid: int) -> Turns:
        """Return the figures since its start."""
        return cls(on_cpu_ns(pid) / 1e6, run_delay_ns(pid) / 1e6)

    def since(self, before: Turns) -> Turns:
        """Return the difference from *before* until now."""
        return Turns(self.ran_ms - before.ran_ms, self.waited_ms - before.waited_ms)


class Seen(NamedTuple):
    """A request as measured by its client, in Unix time; ``turns`` are those of the broker."""

    correlation_id: int
    sent_us: float
    response_us: float
    turns: Turns


class TimedConnection(Connection):
    """Knows the time at which the kernel received the last data."""

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
    """The client, and the process id ``pid`` of the broker."""

    bootstrap: str
    pid: int
    topic: str
    partition: int
    until: Path


def produces(client: Client, first: int) -> list[Seen]:
    """Produce with acks=all, with correlation ids from *first* on."""
    topic, partition = client.topic, client.partition

    def request(number: int, _response: bytes | None) -> bytes:
        return produce(topic, partition, batch([b"new"]), correlation_id=number)

    return _seen(client, first, request)


def long_polls(client: Client, first: int) -> list[Seen]:
    """Fetch from the log end, so that each fetch waits for a produce or for its timeout."""
    topic, partition = client.topic, client.partition

    def request(number: int, response: bytes | None) -> bytes:
        offset = 0 if response is None else read_fetch(response).high_watermark
        return fetch(topic, partition, offset, max_wait_ms=WAIT_MS, correlation_id=number)

    return _seen(client, first, request)


def _seen(client: Client, first: int, request: Callable[[int, bytes | None], bytes]) -> list[Seen]:
    requested: list[tuple[int, float, float]] = []
    turns: list[Turns] = []
    response = None
    with TimedConnection(_leader(client)) as connection:
        while not client.until.exists():
            number = first + len(requested)
            frame = request(number, response)
            turns.append(Turns.of(client.pid))
            sent_us = time.time_ns() / 1000
            response = connection.request(frame)
            requested.append((number, sent_us, connection.received_us))
            time.sleep(PAUSE_SECONDS)
    # A process's waiting time is counted when the wait ends, which is before its next response.
    windows = zip(requested, turns, turns[2:], strict=False)
    return [Seen(*facts, after.since(before)) for facts, before, after in windows]


def _leader(client: Client) -> str:
    with Connection(client.bootstrap) as connection:
        brokers, topics = read_metadata(connection.request(metadata([client.topic])))
    _, leaders = topics[client.topic]
    [at] = [f"{host}:{port}" for n, host, port in brokers if n == leaders[client.partition]]
    return at
