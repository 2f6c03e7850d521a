"""Waiting until a client is connected, or has no connection left."""

from __future__ import annotations

from collections import Counter

from broker.admin.conditions.condition import Finding
from broker.admin.facts.facts import LIMIT_MAX, Facts
from broker.admin.facts.json_object import JsonObject
from broker.admin.parameters import read_required
from broker.admin.query import Query
from protocol.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class ClientConnected:
    """At least ``count`` connections have sent a request with the client id."""

    client: str
    count: int

    def check(self, facts: Facts) -> Finding:
        """Count the connections of the client."""
        found = facts.connections(self.client, False, LIMIT_MAX)
        if len(found) >= self.count:
            return {"connections": found}, []
        return {}, [f"{len(found)} of {self.count} connections of client {self.client}"]

    def alternatives(self, facts: Facts) -> list[str]:
        """The clients that are connected."""
        connections = facts.connections(None, False, LIMIT_MAX)
        counts = Counter(each["client_id"] for each in connections)
        return [_counted(count, client) for client, count in counts.items()] or ["no connection"]


@dataclass(frozen=True, slots=True)
class ClientGone:
    """No open connection has sent a request with the client id."""

    client: str

    def check(self, facts: Facts) -> Finding:
        """Count the connections of the client."""
        found = facts.connections(self.client, False, LIMIT_MAX)
        return {"connections": found}, [_described(self.client, each) for each in found]

    def alternatives(self, _facts: Facts) -> list[str]:
        """Return nothing: the missing lines name the connections."""
        return []


def read_client_connected(query: Query) -> ClientConnected:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "client", "count", "timeout_ms")
    return ClientConnected(_client(query), query.whole("count", 1, LIMIT_MAX) or 1)


def read_client_gone(query: Query) -> ClientGone:
    """The condition that the parameters describe; raises `HttpError`."""
    query.allow("for", "client", "timeout_ms")
    return ClientGone(_client(query))


def _client(query: Query) -> str:
    return read_required(query, "client", "give the client id to wait for")


def _counted(count: int, client: str | None) -> str:
    connections = f"{count} connection{'' if count == 1 else 's'}"
    return f"{connections} {'without a client id' if client is None else f'of client {client}'}"


def _described(client: str, connection: JsonObject) -> str:
    where = f"from {connection['address']} to node {connection['node']}"
    return f"client {client} is connected {where}"
