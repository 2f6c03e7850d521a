"""Floods of connections are limited, and other clients are not affected."""

from __future__ import annotations

import resource
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from antechamber import Cluster
from integration.wire.connection import Connection, address
from integration.wire.requests import api_versions

FLOOD = 3000
BOUND_BYTES = 16 << 20

Start = Callable[..., Cluster]


@pytest.fixture(autouse=True)
def file_descriptors() -> Iterator[None]:
    """Raise the limit of descriptors for this side; the broker inherits it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * FLOOD
    if hard != resource.RLIM_INFINITY and hard < wanted:
        pytest.skip(f"needs {wanted} file descriptors, may have {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def flood(broker: Cluster, sockets: ExitStack, count: int) -> list[socket.socket]:
    """Open so many connections from one address."""
    where = address(broker.bootstrap)
    return [sockets.enter_context(socket.create_connection(where, 10)) for _ in range(count)]


def is_closed(client: socket.socket) -> bool:
    """Whether the broker has closed the connection."""
    try:
        return client.recv(1) == b""
    except ConnectionResetError:
        return True


def test_an_address_with_too_many_connections(cluster: Start) -> None:
    """Its first connections stay open, and new ones are accepted when these are closed."""
    broker = cluster(config={"max.connections.per.ip": "10"})
    with ExitStack() as sockets:
        served = [sockets.enter_context(Connection(broker.bootstrap)) for _ in range(10)]
        for each in served:
            each.request(api_versions())

        refused = flood(broker, sockets, FLOOD)

        assert all(map(is_closed, refused))
        for each in served:
            assert each.request(api_versions())


def test_connections_beyond_the_limit_wait(cluster: Start) -> None:
    """The broker has at most the configured sockets, and accepts waiting clients later."""
    broker = cluster(config={"max.connections": "50"})
    with Connection(broker.bootstrap) as first:
        first.request(api_versions())  # from here on the broker has its other descriptors
    process = psutil.Process(broker.pid)
    before = process.num_fds()
    with ExitStack() as crowd, ExitStack() as last:
        flood(broker, crowd, FLOOD)
        waiting = last.enter_context(Connection(broker.bootstrap))
        waiting.send(api_versions())
        had = process.num_fds() - before

        crowd.close()

        assert waiting.receive()
    assert had <= 50


def test_partial_requests_use_bounded_memory(cluster: Start) -> None:
    """A thousand clients announce a megabyte each, and send less."""
    broker = cluster(
        config={
            "queued.max.request.bytes": str(BOUND_BYTES),
            "socket.request.max.bytes": str(1 << 20),
        }
    )
    process = psutil.Process(broker.pid)
    before = process.memory_info().rss
    part = struct.pack(">i", 1 << 20) + bytes(1 << 16)
    with ExitStack() as sockets:
        for client in flood(broker, sockets, FLOOD // 3):
            client.sendall(part)

        took = process.memory_info().rss - before

    assert took < 2 * BOUND_BYTES
    with Connection(broker.bootstrap) as other:
        assert other.request(api_versions())
