"""Quotas of addresses: the rate at which they create connections."""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack

from integration.parity.quota_requests import IP, Entity, forget, limit
from integration.parity.scenario import Kafka, Observations, scenario
from integration.wire.connection import address

RATE = "connection_creation_rate"
ONE, OTHER, THIRD = "127.0.0.2", "127.0.0.3", "127.0.0.4"


@scenario(alone=True)
def connections_above_the_quota_of_an_address(kafka: Kafka) -> Observations:
    """Connections beyond the rate are accepted, and closed after a delay; others are served."""
    entity: Entity = {IP: ONE}
    limit(kafka, entity, RATE, 1)
    yield ONE, _ends(kafka, ONE, 13)
    yield OTHER, _ends(kafka, OTHER, 13)
    limit(kafka, entity, RATE, 100)
    yield "a larger quota", _ends(kafka, ONE, 13)
    forget(kafka, entity)


@scenario(alone=True)
def addresses_without_a_quota_have_the_default_one(kafka: Kafka) -> Observations:
    """Each address has a rate of its own; its own quota precedes the default one."""
    limit(kafka, {IP: ONE}, RATE, 1000)
    limit(kafka, {IP: None}, RATE, 1)
    for source in (ONE, OTHER, THIRD):
        yield source, _ends(kafka, source, 12)
    forget(kafka, {IP: ONE}, {IP: None})
    kafka.settle()
    yield "no quota", _ends(kafka, OTHER, 12)


def _ends(kafka: Kafka, source: str, connections: int) -> list[str]:
    """Connect several times at once; whether each is closed, and whether that took a while."""
    with ExitStack() as opened:
        started = time.monotonic()
        clients = [
            opened.enter_context(
                socket.create_connection(address(kafka.bootstrap), source_address=(source, 0))
            )
            for _ in range(connections)
        ]
        return [_end(client, started) for client in reversed(clients)][::-1]


def _end(client: socket.socket, started: float) -> str:
    client.settimeout(3 if time.monotonic() - started < 3 else 0.05)
    try:
        assert client.recv(1) == b""
    except TimeoutError:
        return "open"
    return "closed later" if time.monotonic() - started > 0.3 else "closed at once"
