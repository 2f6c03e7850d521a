"""Bare operations in Python, which a broker in Python on this machine cannot undercut.

The same client as that of the other benchmarks sends frames of the same size to servers that decode
and store nothing: one on epoll, and one on trio. A leader and two followers on epoll write each
frame to three files. The plain write is the system call that appends a batch of one record of 100
bytes to a file. A pass over scattered objects shows what a pause costs.
"""

from __future__ import annotations

import os
import select
import socket
import tempfile
import time
from contextlib import ExitStack

from benchmarks.bare import ECHO, PARK, WAKE, Bare
from benchmarks.bare_chain import BareChain, frame_of
from benchmarks.benchmark import Benchmark, Metric, Sample, percentile
from benchmarks.echo import Echo
from benchmarks.pipelined import responses
from benchmarks.scattered import Scattered
from benchmarks.systems import System
from integration.wire.batches import batch
from integration.wire.connection import Connection, address

FRAME_BYTES = 200
REQUESTS = 4000
CROWD = 5000
WRITES = 20_000
UNTIL_PARKED_SECONDS = 0.003
WAKE_UPS = 300
# The sizes of the requests of the benchmarks on three nodes, about.
_SMALL_BYTES = 1100
_LARGE_BYTES = 16_500
_BULK_BYTES = 1_000_000


def measure(system: System, scale: float) -> Sample:
    """Echoes, wake-ups, and writes."""
    if system.name != "ours":
        return {}
    count, wake_ups = max(2, int(REQUESTS * scale)), max(2, int(WAKE_UPS * scale))
    with Bare() as bare:
        micros, cpu = _echoes(bare, count)
        sample = {"echo on epoll p50": percentile(micros, 50), "echo on epoll, CPU each": cpu}
        woken = _wake_ups(bare, wake_ups, UNTIL_PARKED_SECONDS)
        sample["wake-up on epoll p50"] = percentile(woken, 50)
        through = _wake_ups(bare, count, 0)
        sample["end to end on epoll p50"] = percentile(through, 50)
        sample["5000 parked on epoll, all completed"] = _crowd(bare, max(2, int(CROWD * scale)))
    with Echo() as echo:
        micros, cpu = _echoes(echo, count)
        sample |= {"echo on trio p50": percentile(micros, 50), "echo on trio, CPU each": cpu}
    sample |= _chain(count, wake_ups)
    sample["plain write"] = _writes(max(2, int(WRITES * scale)))
    objects = Scattered()
    sample["2000 objects"] = objects.pass_us(wake_ups, 0)
    sample["2000 objects, after 3 ms"] = objects.pass_us(wake_ups, UNTIL_PARKED_SECONDS)
    return sample


def _chain(count: int, wake_ups: int) -> dict[str, float]:
    """Replicated frames, one after the other and five in flight, and wake-ups by them."""
    small = frame_of(_SMALL_BYTES)
    micros = []
    with BareChain() as chain, Connection(chain.bootstrap) as connection:
        for _ in range(count):
            sent = time.perf_counter()
            connection.request(small)
            micros.append((time.perf_counter() - sent) * 1e6)
        with Connection(chain.bootstrap) as reader:
            woken = _chain_wake_ups(reader, connection, small, wake_ups)
        large = _rate(connection, frame_of(_LARGE_BYTES), count)
        bulk = _rate(connection, frame_of(_BULK_BYTES), count // 40)
    return {
        "chain of three on epoll, 1 KB p50": percentile(micros, 50),
        "chain of three on epoll, wake-up p50": percentile(woken, 50),
        "chain of three on epoll, 16 KB, five in flight": large,
        "chain of three on epoll, 1 MB, five in flight": bulk,
    }


def _chain_wake_ups(
    reader: Connection, writer: Connection, frame: bytes, count: int
) -> list[float]:
    """The microseconds from *frame* to the response to a frame that waits for its replication."""
    micros = []
    for _ in range(count):
        reader.send(frame_of(FRAME_BYTES, PARK))
        time.sleep(UNTIL_PARKED_SECONDS)
        sent = time.perf_counter()
        writer.send(frame)
        reader.receive()
        micros.append((time.perf_counter() - sent) * 1e6)
        writer.receive()
    return micros


def _rate(connection: Connection, frame: bytes, count: int) -> float:
    """The megabytes per second of *count* frames, five of them in flight."""
    started = time.perf_counter()
    for _ in responses(connection, frame, count):
        pass
    return count * len(frame) / 1e6 / (time.perf_counter() - started)


def connected(bootstrap: str) -> socket.socket:
    """A connection that sends each frame at once."""
    connection = socket.create_connection(address(bootstrap))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _echoes(server: Bare | Echo, count: int) -> tuple[list[float], float]:
    """The microseconds of each echo, and those of the server's processor for each."""
    frame = ECHO * FRAME_BYTES
    micros = []
    with connected(server.bootstrap) as connection:
        used = server.cpu_seconds()
        for _ in range(count):
            sent = time.perf_counter()
            connection.sendall(frame)
            connection.recv(FRAME_BYTES)
            micros.append((time.perf_counter() - sent) * 1e6)
        used = server.cpu_seconds() - used
    return micros, used * 1e6 / count


def _wake_ups(bare: Bare, count: int, pause_s: float) -> list[float]:
    micros = []
    with connected(bare.bootstrap) as reader, connected(bare.bootstrap) as writer:
        for _ in range(count):
            reader.sendall(PARK * FRAME_BYTES)
            if pause_s:
                time.sleep(pause_s)
            else:  # nothing else orders the two connections
                writer.sendall(ECHO)
                writer.recv(1)
            sent = time.perf_counter()
            writer.sendall(WAKE * FRAME_BYTES)
            reader.recv(FRAME_BYTES)
            micros.append((time.perf_counter() - sent) * 1e6)
            writer.recv(FRAME_BYTES)
    return micros


def _crowd(bare: Bare, count: int) -> float:
    """The milliseconds until all of *count* parked connections have their responses."""
    with ExitStack() as stack:
        poll = stack.enter_context(select.epoll())
        crowd = [stack.enter_context(connected(bare.bootstrap)) for _ in range(count)]
        for each in crowd:
            each.sendall(PARK * FRAME_BYTES)
            poll.register(each, select.EPOLLIN | select.EPOLLONESHOT)
        writer = stack.enter_context(connected(bare.bootstrap))
        writer.sendall(ECHO)  # its response shows that all are parked
        writer.recv(1)
        by_number = {each.fileno(): each for each in crowd}
        started = time.perf_counter()
        writer.sendall(WAKE * FRAME_BYTES)
        missing = count
        while missing:
            for number, _ in poll.poll(30):
                by_number[number].recv(FRAME_BYTES)
                missing -= 1
        return (time.perf_counter() - started) * 1000


def _writes(count: int) -> float:
    """The microseconds of a write."""
    data = batch([bytes(100)])
    with tempfile.TemporaryFile() as file:
        number = file.fileno()
        started = time.perf_counter()
        for _ in range(count):
            os.write(number, data)
        return (time.perf_counter() - started) * 1e6 / count


BENCHMARK = Benchmark(
    "limits",
    (
        Metric("echo on epoll p50", "us"),
        Metric("echo on epoll, CPU each", "us"),
        Metric("echo on trio p50", "us"),
        Metric("echo on trio, CPU each", "us"),
        Metric("wake-up on epoll p50", "us"),
        Metric("end to end on epoll p50", "us"),
        Metric("5000 parked on epoll, all completed", "ms"),
        Metric("chain of three on epoll, 1 KB p50", "us"),
        Metric("chain of three on epoll, wake-up p50", "us"),
        Metric("chain of three on epoll, 16 KB, five in flight", "MB/s", "higher"),
        Metric("chain of three on epoll, 1 MB, five in flight", "MB/s", "higher"),
        Metric("plain write", "us"),
        Metric("2000 objects", "us"),
        Metric("2000 objects, after 3 ms", "us"),
    ),
    measure,
    written_mb=500,
)
