"""The open connections and their clients."""

from __future__ import annotations

from collections.abc import Iterable

from broker.admin.facts.json_object import JsonObject
from broker.admin.facts.node_clients import is_node
from broker.network.clients.connection import Connection
from broker.node import Node
from protocol.printable import printable


def connections(
    nodes: Iterable[Node], client: str | None, followers: bool, limit: int
) -> list[JsonObject]:
    """At most *limit* open connections, the oldest first, as docs/reference/admin.md lists them.

    Only those of *client*, unless that is None. With *followers* also those between nodes.
    """
    found = (
        (each.id, node, each)
        for node in nodes
        for each in node.connections
        if not each.is_closed
        and (client is None or client in _names(each))
        and (followers or client is not None or not is_node(each.client.client_id))
    )
    return [_described(node, each) for _, node, each in sorted(found, key=lambda each: each[0])][
        :limit
    ]


def _names(connection: Connection) -> tuple[str, ...]:
    """The client id, as it is and in its printable form; none before the first request."""
    client_id = connection.client.client_id
    return () if client_id is None else (client_id, printable(client_id))


def _described(node: Node, connection: Connection) -> JsonObject:
    clock, session, client = node.clock, connection.session, connection.client
    name, version = client.software or (None, None)
    return {
        "node": node.id,
        "connection": connection.id,
        "client_id": client.client_id,
        "software": name,
        "software_version": version,
        "address": connection.peer,
        "listener": session.listener,
        "principal": str(session.principal),
        "since_us": clock.wall_us_at(client.opened_ms),
        "idle_ms": max(0, int(clock.now_ms() - connection.active_ms)),
        "requests": client.requests,
        "is_waiting": connection.in_progress is not None,
    }
