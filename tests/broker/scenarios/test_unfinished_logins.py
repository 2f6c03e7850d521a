"""Connections that never finish their handshake or login, by the thousand.

Kafka has no time limit for them but ``connections.max.idle.ms``, which begins again with each byte
that arrives, also within a TLS handshake; a served Kafka was observed.
"""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.network.transports.memory_transport import MemoryTransport
from protocol.messages.metadata import MetadataRequest
from tests.broker.scenarios.secured_node import SASL_HANDSHAKE, client_hello, secured_node

pytestmark = pytest.mark.anyio

OF_EACH = 300
IDLE_MS = 60_000
HELLO = client_hello()
# By the listener: what a client sends before it is silent.
BEGINNINGS = [
    ("TLS", b""),
    ("TLS", HELLO[:3]),
    ("TLS", HELLO),
    ("SASL", b""),
    ("SASL", SASL_HANDSHAKE[:10]),
    ("SASL", SASL_HANDSHAKE),
    ("SASLTLS", HELLO[:-1]),
    ("SASLTLS", HELLO),
]


def _transports() -> int:
    """The number of connections in memory."""
    return sum(isinstance(each, MemoryTransport) for each in gc.get_objects())


async def test_connections_that_never_finish_are_closed_when_they_are_idle(tmp_path: Path) -> None:
    """Meanwhile another client is served; afterwards no connection, timer or memory is left."""
    async with secured_node(tmp_path, connections_max_idle_ms=str(IDLE_MS)) as secured:
        connections, timer = secured.node.connections, secured.node.timer
        other = secured.client()
        await other.send(MetadataRequest(topics=[]))
        timers, before = timer.size, _transports()
        clients = [secured.client(listener) for listener, _ in BEGINNINGS * OF_EACH]
        for client, (_, data) in zip(clients, BEGINNINGS * OF_EACH, strict=True):
            client.write(data)
        for _ in range(IDLE_MS // 10_000):
            assert (await other.send(MetadataRequest(topics=[]))).brokers
            await trio.sleep(9.9)
        assert len(connections) == len(clients) + 1

        await trio.sleep(1)

        assert len(connections) == 1
        assert timer.size == timers
        assert all(client.transport.other.closed for client in clients)
        clients.clear()
        del client
        gc.collect()
        assert _transports() <= before
        assert (await other.send(MetadataRequest(topics=[]))).brokers


@pytest.mark.parametrize(("listener", "data"), [("TLS", HELLO), ("SASL", SASL_HANDSHAKE)])
async def test_each_byte_that_arrives_begins_the_idle_time_again(
    tmp_path: Path, listener: str, data: bytes
) -> None:
    """However slowly a client sends; it is closed when it stops."""
    async with secured_node(tmp_path, connections_max_idle_ms=str(IDLE_MS)) as secured:
        client = secured.client(listener)
        for at in range(10):
            client.write(data[at : at + 1])
            await trio.sleep(50)
        assert not client.connection.is_closed

        await trio.sleep(11)

        assert client.connection.is_closed


@pytest.mark.parametrize(("listener", "data"), BEGINNINGS)
async def test_clients_that_leave_during_a_login_leave_nothing(
    tmp_path: Path, listener: str, data: bytes
) -> None:
    """The connections end at once."""
    async with secured_node(tmp_path) as secured:
        timers = secured.node.timer.size
        for _ in range(20):
            client = secured.client(listener)
            client.write(data)
            await trio.testing.wait_all_tasks_blocked()
            client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert len(secured.node.connections) == 0
        assert secured.node.timer.size == timers
