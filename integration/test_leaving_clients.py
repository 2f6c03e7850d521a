"""Real sockets that close at every point: each is recorded, and other clients are not affected."""

from __future__ import annotations

import random
import socket
import struct
from collections.abc import Callable

import psutil  # type: ignore[import-untyped]  # no types there
import pytest

from antechamber import Cluster
from integration.machine.deadlines import eventually
from integration.wire.batches import batch
from integration.wire.connection import Connection
from integration.wire.requests import api_versions, fetch, metadata, produce, read_produce
from integration.wire.topics import make_topic

CLIENTS = 2000
AT_ONCE = 20
BATCHES, BATCH_BYTES = 8, 1 << 20
RESET = struct.pack("ii", 1, 0)


@pytest.fixture
def large_topic(cluster: Callable[..., Cluster], topic: str) -> tuple[Cluster, str]:
    """A broker with 8 MB in a topic."""
    broker = cluster()
    with Connection(broker.bootstrap) as client:
        make_topic(client, topic)
        for _ in range(BATCHES):
            response = client.request(produce(topic, 0, batch([bytes(BATCH_BYTES - 100)])))
            assert read_produce(response).error == 0
    return broker, topic


def leave(client: Connection, chance: random.Random) -> None:
    """Close, shut down for writing first, or reset."""
    way = chance.randrange(3)
    if way == 0:
        client.socket.shutdown(socket.SHUT_WR)
    elif way == 1:
        client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
    client.close()


def test_clients_that_disconnect_within_large_responses(
    large_topic: tuple[Cluster, str],
) -> None:
    """Thousands disconnect at random points of a request or a large response; all are counted."""
    broker, topic = large_topic
    chance = random.Random(15)
    process = psutil.Process(broker.pid)
    large = fetch(topic, 0, 0, max_wait_ms=0, max_bytes=BATCHES * BATCH_BYTES)
    parked = fetch(topic, 0, BATCHES, max_wait_ms=3_600_000)
    half = produce(topic, 0, batch([bytes(BATCH_BYTES - 100)]))[: BATCH_BYTES // 2]
    with Connection(broker.bootstrap) as other:
        other.request(api_versions())  # it is accepted, so it counts
        sockets = len(process.net_connections())
        for _ in range(CLIENTS // AT_ONCE):
            crowd = [Connection(broker.bootstrap) for _ in range(AT_ONCE)]
            for client in crowd:
                client.send(chance.choice((large, large, large * 3, large + parked, half)))
                if chance.random() < 0.2:
                    client.send(metadata(None))
            for client in chance.sample(crowd, AT_ONCE):
                if chance.random() < 0.5:
                    client.socket.settimeout(0.01)
                    read_a_little(client, chance)
                leave(client, chance)
            assert other.request(api_versions())
        eventually(
            lambda: len(process.net_connections()) <= sockets, "the broker closed all connections"
        )
        assert other.request(api_versions())


def read_a_little(client: Connection, chance: random.Random) -> None:
    """Read less than was requested; a client without a complete request reads nothing."""
    try:
        client.socket.recv(chance.choice((1, 1000, 1 << 20)))
    except TimeoutError:
        return
