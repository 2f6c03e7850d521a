"""Clients that measure the time of each request, in processes of their own.

Each sends requests to the leader of one partition, one at a time, until a file exists. Correlation
ids are unique to a client, so that a record can be matched to its request.

The kernel's timestamps of sent and received data are used, so that the scheduling of this process
does not matter.
"""

from __future__ import annotations

import select
import socket
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from integration.machine.scheduling import Scheduled, of_kernel_threads, of_threads
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import fetch, metadata, produce, read_fetch, read_metadata

NUMBERS = 1_000_000  # correlation ids for each client
PAUSE_SECONDS = 0.001
WAIT_MS = 50

# On Linux; the module socket does not define them.
_SO_TIMESTAMPNS = 35
_SO_TIMESTAMPING = 37
_OF_SENT_DATA = 1 << 1 | 1 << 4 | 1 << 11  # from the network driver, in software, without the data
_CONTROL_BYTES = 512
_TIMESPEC = struct.Struct("@ll")


class Turns(NamedTuple):
    """The scheduling of a process: its time on a processor, and its time waiting for one."""

    ran_ms: float
    waited_ms: float


class Threads(NamedTuple):
    """The figures of a broker's threads, and those of the kernel that deliver data to it."""

    broker: dict[str, Scheduled]
    kernel: dict[str, Scheduled]

    @classmethod
    def of(cls, pid: int) -> Threads:
        """Return the figures since the start of each thread."""
        return cls(of_threads(pid), of_kernel_threads())

    def since(self, before: Threads) -> Turns:
        """Return the scheduling from *before* until now; a thread that ended meanwhile is left out.

        A broker also waits while a thread of the kernel, which has its data, waits.
        """
        broker = _since(self.broker, before.broker)
        kernel = _since(self.kernel, before.kernel)
        return Turns(broker.ran_ns / 1e6, (broker.waited_ns + kernel.waited_ns) / 1e6)


def _since(now: dict[str, Scheduled], before: dict[str, Scheduled]) -> Scheduled:
    none = Scheduled(0, 0)
    pairs = [(thread, before.get(name, none)) for name, thread in now.items()]
    return Scheduled(
        sum(after.ran_ns - earlier.ran_ns for after, earlier in pairs),
        sum(after.waited_ns - earlier.waited_ns for after, earlier in pairs),
    )


class Seen(NamedTuple):
    """A request as measured by its client, in Unix time; ``turns`` are those of the broker."""

    correlation_id: int
    sent_us: float
    response_us: float
    turns: Turns


class TimedConnection(Connection):
    """Keeps the times at which the kernel sent and received the last data."""

    def __init__(self, bootstrap: str) -> None:
        super().__init__(bootstrap)
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        self.socket.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPING, _OF_SENT_DATA)
        self._sent = select.poll()
        self._sent.register(self.socket, 0)  # for the timestamp, which is reported as an error
        self.sent_us = 0.0
        self.received_us = 0.0
        # The kernel begins to stamp received data some time after the first socket requests it.
        while not self.received_us:
            self.request(metadata([]))

    def send(self, frame: bytes) -> None:
        """Send a frame, which must fit into one segment, and keep the time."""
        super().send(frame)
        assert self._sent.poll(10_000), "no timestamp of the sent data"
        _, control, _, _ = self.socket.recvmsg(0, _CONTROL_BYTES, socket.MSG_ERRQUEUE)
        self.sent_us = _stamp_us(control)

    def _more(self) -> bytes:
        data, control, _, _ = self.socket.recvmsg(1 << 20, _CONTROL_BYTES)
        self.received_us = _stamp_us(control)
        return data


def _stamp_us(control: list[tuple[int, int, bytes]]) -> float:
    """The Unix time in control messages of a socket; 0 if they have none."""
    for _, kind, stamp in control:
        if kind == _SO_TIMESTAMPNS:
            seconds, nanoseconds = _TIMESPEC.unpack(stamp)
            return float(seconds * 1e6 + nanoseconds / 1000)
    return 0.0


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
    threads: list[Threads] = []
    response = None
    with TimedConnection(_leader(client)) as connection:
        while not client.until.exists():
            number = first + len(requested)
            frame = request(number, response)
            threads.append(Threads.of(client.pid))
            response = connection.request(frame)
            requested.append((number, connection.sent_us, connection.received_us))
            time.sleep(PAUSE_SECONDS)
    # A process's waiting time is counted when the wait ends, which is before its next response.
    windows = zip(requested, threads, threads[2:], strict=False)
    return [Seen(*facts, after.since(before)) for facts, before, after in windows]


def _leader(client: Client) -> str:
    with Connection(client.bootstrap) as connection:
        brokers, topics = read_metadata(connection.request(metadata([client.topic])))
    _, leaders = topics[client.topic]
    [at] = [f"{host}:{port}" for n, host, port in brokers if n == leaders[client.partition]]
    return at
