"""A process with few file descriptors: clients, logs and the admin interface work."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from integration.processes.antechamber import Antechamber
from integration.wire.batches import batch
from integration.wire.connection import Connection, address
from integration.wire.requests import api_versions, metadata, produce, read_metadata, read_produce

Start = Callable[..., Antechamber]
GET = b"GET /v1/cluster HTTP/1.1\r\nHost: %s\r\n\r\n"


@pytest.fixture
def limited(against: str) -> Iterator[Start]:
    """Start our command in a process with a limit of open files."""
    if against != "antechamber":
        pytest.skip("tests our own process")
    with ExitStack() as running:
        yield lambda *arguments, descriptors: running.enter_context(
            Antechamber(*arguments, descriptors=descriptors)
        )


def crowd(where: tuple[str, int], count: int, sockets: ExitStack) -> list[socket.socket]:
    """Open so many connections."""
    return [sockets.enter_context(socket.create_connection(where, 10)) for _ in range(count)]


def admin_address(broker: Antechamber) -> tuple[str, int]:
    """The address of the admin interface."""
    return address(broker.ready["admin"].removeprefix("http://"))


def produce_to_all(client: Connection, topic: str, offset: int, *, node: int = 1) -> None:
    """Produce one record to each partition that *node* leads; *offset* is the expected offset."""
    leaders = read_metadata(client.request(metadata([topic]))).topics[topic][1]
    for partition, leader in leaders.items():
        if leader == node:
            response = read_produce(client.request(produce(topic, partition, batch([b"safe"]))))
            assert (response.error, response.base_offset) == (0, offset)


@pytest.mark.parametrize(
    ("descriptors", "brokers", "partitions", "clients"),
    [(128, 3, 128, 256), (1024, 1, 400, 1000)],
)
def test_connections_leave_descriptors_to_the_logs(
    limited: Start,
    tmp_path: Path,
    descriptors: int,
    brokers: int,
    partitions: int,
    clients: int,
) -> None:
    """An earlier client continues, and a failed open does not mark the disk as failed.

    There are more logs than the process may open files, and each batch is synced.
    """
    broker = limited(
        *("--brokers", str(brokers), "--data-dir", str(tmp_path)),
        *("--topic", f"t:{partitions}:{brokers}", "-c", "log.flush.interval.messages=1"),
        descriptors=descriptors,
    )
    with Connection(broker.bootstrap) as client, ExitStack() as sockets:
        for offset in range(2):
            produce_to_all(client, "t", offset)
            crowd(address(broker.bootstrap), clients, sockets)
        produce_to_all(client, "t", 2)
        assert psutil.Process(broker.pid).num_fds() < descriptors
    assert "offline" not in broker.process.stderr()


def test_admin_clients_leave_the_broker_its_descriptors(limited: Start, tmp_path: Path) -> None:
    """There are more of them than descriptors, and the broker still serves."""
    broker = limited("--data-dir", str(tmp_path), "--topic", "t:4", descriptors=1024)
    with ExitStack() as sockets:
        crowd(admin_address(broker), 1100, sockets)
        with Connection(broker.bootstrap) as client:
            produce_to_all(client, "t", 0)
        assert broker.admin.call("GET", "/v1/cluster")["nodes"]


def test_slow_admin_clients_block_no_other_client(limited: Start) -> None:
    """Hundreds send partial requests and are closed; another client gets its response."""
    broker = limited(descriptors=1024)
    with ExitStack() as sockets:
        for slow in crowd(admin_address(broker), 300, sockets):
            slow.sendall(GET[:20])
        for _ in range(10):
            assert broker.admin.call("GET", "/v1/cluster")["nodes"]


def test_many_head_requests(limited: Start) -> None:
    """A thousand HEAD requests, as a web page may send them, do not end the process."""
    broker = limited(descriptors=1024)
    host, port = admin_address(broker)
    head = b"HEAD /v1/cluster HTTP/1.1\r\nHost: %s:%d\r\n" % (host.encode(), port)
    for number in range(1000):
        with socket.create_connection((host, port), 10) as client:
            client.sendall(head + b"Sec-Fetch-Site: cross-site\r\n" * (number % 2) + b"\r\n")
            status = client.recv(1000).split()[1]
        assert status == (b"403" if number % 2 else b"200")
    with Connection(broker.bootstrap) as client:
        assert client.request(api_versions())
    assert broker.admin.call("GET", "/v1/cluster")["nodes"]
