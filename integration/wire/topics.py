"""Topics over a raw connection: creation, and waiting for their leaders."""

from __future__ import annotations

from collections.abc import Mapping

from integration.machine.deadlines import eventually
from integration.wire.connection import Connection
from integration.wire.requests import (
    create_topic,
    list_offsets,
    metadata,
    read_create_topic,
    read_list_offsets,
    read_metadata,
)


def make_topic(
    connection: Connection,
    name: str,
    *,
    partitions: int = 1,
    configs: Mapping[str, str] | None = None,
) -> None:
    """Create a topic and wait until every partition has a leader."""
    requested = create_topic(name, partitions=partitions, configs=configs)
    error, message = read_create_topic(connection.request(requested))
    assert error == 0, message
    _wait_for_leaders(connection, name, partitions)


def auto_create_topic(connection: Connection, name: str) -> None:
    """Create a topic by a Metadata request, which works even without CreateTopics."""
    connection.request(metadata([name]))
    _wait_for_leaders(connection, name, 1)


def _wait_for_leaders(connection: Connection, name: str, partitions: int) -> None:
    def served() -> bool:
        response = read_metadata(connection.request(metadata([name])))
        error, leaders = response.topics[name]
        where = {node: f"{host}:{port}" for node, host, port in response.brokers}
        return error == 0 and all(
            leaders.get(i, -1) in where and _is_served(where[leaders[i]], name, i)
            for i in range(partitions)
        )

    eventually(served, f"leaders of {name}")


def _is_served(leader: str, name: str, partition: int) -> bool:
    with Connection(leader) as connection:
        return read_list_offsets(connection.request(list_offsets(name, partition, -1)))[0] == 0
