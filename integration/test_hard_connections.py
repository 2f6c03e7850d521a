"""Thousands of idle, slow, greedy or broken connections do not affect other clients.

The memory of the process stays bounded, and is released when such clients disconnect.
"""

from __future__ import annotations

import resource
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from antechamber import Cluster
from integration.machine.deadlines import eventually
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import api_versions, fetch, produce, read_produce
from integration.wire.topics import make_topic

MB = 1 << 20
IDLE = 5000
SLOW_READERS = 500
PIPELINED = 10_000
LOG_BYTES = 25 * MB
# The time limit of a response for a well-behaved client (request.timeout.ms of Kafka's clients).
CLIENT_LIMIT_S = 30.0

Start = Callable[..., Cluster]


@pytest.fixture(autouse=True)
def file_descriptors() -> Iterator[None]:
    """Raise the limit of descriptors, for this side of the connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


class Watched:
    """A broker with a topic, a well-behaved client, and the resources of the process."""

    def __init__(self, broker: Cluster, topic: str, client: Connection) -> None:
        self.bootstrap = broker.bootstrap
        self.topic = topic
        self._process = psutil.Process(broker.pid)
        self._client = client
        make_topic(client, topic)
        client.socket.settimeout(CLIENT_LIMIT_S)
        self.assert_serves()
        self._connections = self._count()
        self._resident = self.resident

    @property
    def resident(self) -> int:
        """The memory of the process, in bytes."""
        size: int = self._process.memory_info().rss
        return size

    @property
    def grown(self) -> int:
        """The growth of the memory since the start."""
        return self.resident - self._resident

    def fill(self) -> None:
        """Produce 25 MB to the topic."""
        for _ in range(LOG_BYTES // MB):
            self.request(produce(self.topic, 0, batch([bytes(MB - 200)])))

    def request(self, request: bytes) -> None:
        """Produce with the well-behaved client."""
        assert read_produce(self._client.request(request)).error == 0

    def assert_serves(self) -> None:
        """Check that requests of the well-behaved client are completed within the limit."""
        for _ in range(5):
            self.request(produce(self.topic, 0, batch([b"client"])))

    def assert_all_closed(self) -> None:
        """Wait until the other connections are closed."""
        eventually(lambda: self._count() <= self._connections, "the broker closed all connections")

    def assert_gives_back_all_but(self, some_bytes: int) -> None:
        """Wait until the memory has been released."""
        eventually(lambda: self.grown < some_bytes, "the memory is free")

    def _count(self) -> int:
        return len(self._process.net_connections())


@pytest.fixture
def watched(cluster: Start, topic: str) -> Iterator[Watched]:
    """A broker of the test."""
    broker = cluster()
    with Connection(broker.bootstrap) as client:
        yield Watched(broker, topic, client)


def crowd(watched: Watched, sockets: ExitStack, count: int) -> list[Connection]:
    """Open so many further connections."""
    return [sockets.enter_context(Connection(watched.bootstrap)) for _ in range(count)]


def test_idle_connections_use_little_memory(watched: Watched) -> None:
    """Five thousand connections, each after a request."""
    count = min(IDLE, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 1000)
    with ExitStack() as sockets:
        for client in crowd(watched, sockets, count):
            client.send(api_versions())
        watched.assert_serves()
        assert watched.grown < count * 20_000
    watched.assert_all_closed()


def test_slow_readers_of_large_fetches_use_little_memory(watched: Watched) -> None:
    """Five hundred request 25 MB each, from different offsets, and read nothing."""
    watched.fill()
    with ExitStack() as sockets:
        for number, client in enumerate(crowd(watched, sockets, SLOW_READERS)):
            offset = 5 + number % (LOG_BYTES // MB)
            client.send(fetch(watched.topic, 0, offset, max_wait_ms=0, max_bytes=LOG_BYTES))
        watched.assert_serves()
        assert watched.grown < 100 * MB
    watched.assert_all_closed()
    watched.assert_serves()


def test_requests_without_reading_are_bounded(watched: Watched) -> None:
    """Twenty clients send ten thousand requests each and read no response."""
    with ExitStack() as sockets:
        clients = crowd(watched, sockets, 20)
        requests = memoryview(api_versions() * PIPELINED)
        for client in clients:
            client.socket.setblocking(False)
            client.socket.send(requests)
        watched.assert_serves()
        assert watched.grown < 20 * 3 * MB
    watched.assert_all_closed()


def test_half_closed_connections_get_their_responses(watched: Watched) -> None:
    """A client that has closed its sending side gets all its responses."""
    watched.fill()
    with ExitStack() as sockets:
        clients = crowd(watched, sockets, 20)
        for client in clients:
            client.send(
                fetch(watched.topic, 0, 5, max_wait_ms=0, max_bytes=4 * MB) + api_versions()
            )
            client.socket.shutdown(socket.SHUT_WR)
        for client in clients:
            assert len(client.receive()) > 3 * MB
            assert client.receive()
            assert client.socket.recv(1) == b""
        watched.assert_serves()
    watched.assert_all_closed()


def test_connections_that_are_reset_within_a_frame(watched: Watched) -> None:
    """A thousand connections, after half of a request of 16 MB, leave no resources allocated."""
    part = memoryview(struct.pack(">i", 16 * MB) + bytes(8 * MB))
    grown = []
    for round_of_all in range(40):
        with ExitStack() as sockets:
            for number, client in enumerate(crowd(watched, sockets, 25)):
                client.socket.sendall(part[: (8 * MB if not round_of_all % 10 else 9000)])
                if number % 2:
                    client.socket.setsockopt(
                        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
                    )
            watched.assert_serves()
        watched.assert_all_closed()
        grown.append(watched.grown)
    assert max(grown[1:]) < 400 * MB  # not all of it may be released yet
    watched.assert_gives_back_all_but(40 * MB)


def test_short_lived_producers_leave_no_memory_allocated(watched: Watched) -> None:
    """A thousand and fifty clients with a request of 900 kB each."""
    request = produce(watched.topic, 0, batch([bytes(900_000)]))
    for _ in range(7):
        with ExitStack() as sockets:
            for client in crowd(watched, sockets, 150):
                assert read_produce(client.request(request)).error == 0
        watched.assert_all_closed()
    watched.assert_gives_back_all_but(40 * MB)
