"""The limit of a node's connections, and which connections it spares."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial

from integration.machine.deadlines import eventually
from integration.parity.admin_requests import BROKER, DELETE, SET, alter_configs
from integration.parity.client import Client
from integration.parity.scenario import Kafka, Observations, scenario
from integration.parity.setups import LIMITED
from integration.wire.connection import address
from protocol.messages.metadata import MetadataRequest

NOTHING = MetadataRequest(topics=[])
INTER_BROKER, OTHER = "PLAINTEXT", "OTHER"
LIMITED_SOURCE, OTHER_SOURCE = "127.0.0.2", "127.0.0.3"


def _used(kafka: Kafka, listener: str) -> Client:
    client = kafka.connect(listener=listener)
    client.request(NOTHING)
    return client


def _open(clients: Sequence[Client], expected: int) -> list[int]:
    """Wait until that number of clients are connected; the numbers of those that are."""
    eventually(lambda: sum(not each.ended for each in clients) == expected, "some are closed")
    return [number for number, each in enumerate(clients) if not each.ended]


@scenario(on=LIMITED)
def connections_of_brokers_replace_those_of_clients(kafka: Kafka) -> Observations:
    """At ``max.connections`` the least recently used one of another listener is closed."""
    clients = [_used(kafka, OTHER) for _ in range(4)]
    clients[0].request(NOTHING)
    kafka.request(alter_configs("", ("max.connections", SET, "5"), kind=BROKER))
    yield "at the limit", _open(clients, 4)
    _used(kafka, INTER_BROKER)
    yield "one above", _open(clients, 3)
    waits = kafka.connect(listener=OTHER).start(NOTHING)
    yield "another client waits", waits.waits()
    _used(kafka, INTER_BROKER)
    yield "two above", _open(clients, 2)
    kafka.request(alter_configs("", ("max.connections", SET, "4"), kind=BROKER))
    yield "a lower limit", _open(clients, 1)
    kafka.request(alter_configs("", ("max.connections", DELETE, None), kind=BROKER))
    waits.response()
    yield "without a limit", waits.wait.how_it_ended()


@scenario(on=LIMITED)
def limits_of_addresses_with_other_texts(kafka: Kafka) -> Observations:
    """``max.connections.per.ip.overrides`` compares addresses: one is mapped to IPv6."""
    overrides = "max.connections.per.ip.overrides"
    kafka.request(alter_configs("", (overrides, SET, f"::ffff:{LIMITED_SOURCE}:2"), kind=BROKER))
    eventually(lambda: _open_from(kafka, LIMITED_SOURCE) == 2, "the limit applies")
    yield "another address", _open_from(kafka, OTHER_SOURCE)
    kafka.request(alter_configs("", (overrides, DELETE, None), kind=BROKER))


def _open_from(kafka: Kafka, source: str) -> int:
    """How many of four connections from an address the broker keeps open."""
    to = address(kafka.bootstrap)
    with ExitStack() as opened:
        connect = partial(socket.create_connection, to, source_address=(source, 0))
        clients = [opened.enter_context(connect()) for _ in range(4)]
        return sum(map(_is_open, clients))


def _is_open(client: socket.socket) -> bool:
    client.settimeout(0.2)
    try:
        return client.recv(1) != b""
    except TimeoutError:
        return True
    except ConnectionResetError:
        return False
