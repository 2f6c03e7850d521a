"""The admin listener, its access rules and its limit of connections.

A connection beyond the limit closes the one whose client the broker has waited for the longest, so
that slow clients cannot exclude others. If all clients wait for the broker, the new connection is
closed.
"""

from __future__ import annotations

import math
import socket

import trio

from broker.admin.facts import Facts
from broker.admin.http import HttpConnection, OnError, raise_error
from broker.admin.paths import routes
from broker.admin.routes import AccessRules, Router
from broker.process.descriptors import OVERLOADED, shares
from purgatories.timer.system_timer import SystemTimer

_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
# New connections wait in the backlog while the process has no free descriptor.
_OVERLOAD_PAUSE_S = 0.1


async def serve_admin(
    listener: socket.socket,
    facts: Facts,
    timer: SystemTimer,
    on_error: OnError = raise_error,
    *,
    token: str | None = None,
) -> None:
    """Serve admin requests on a listening socket until cancelled.

    The timeouts of ``/v1/wait`` run on *timer*, which must outlive every node. *on_error* receives
    the exceptions that handlers raise. *token* is needed for addresses other than loopback.
    """
    router = Router(routes(facts, timer), access_rules(listener.getsockname()[:2], token))
    accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
    limit = ConnectionLimit(shares().admin)

    async def serve(stream: trio.SocketStream) -> None:
        connection = HttpConnection(stream, router, on_error)
        if not limit.add(connection):
            connection.close()
        try:
            await connection.serve()
        finally:
            limit.remove(connection)

    async with accepting, trio.open_nursery() as nursery:
        while True:
            try:
                stream = await accepting.accept()
            except OSError as error:
                if error.errno in OVERLOADED:
                    await trio.sleep(_OVERLOAD_PAUSE_S)
            else:
                nursery.start_soon(serve, stream)


class ConnectionLimit:
    """The connections that are served, at most *connections_max*."""

    def __init__(self, connections_max: int) -> None:
        self._connections_max = connections_max
        self._connections: set[HttpConnection] = set()

    def add(self, connection: HttpConnection) -> bool:
        """Add a connection, and close another if needed; False if all wait for the broker."""
        if len(self._connections) >= self._connections_max:
            slowest = min(self._connections, key=_waits_since)
            if slowest.waits_since is None:
                return False
            slowest.close()
            self._connections.discard(slowest)
        self._connections.add(connection)
        return True

    def remove(self, connection: HttpConnection) -> None:
        """Remove a connection that is closed."""
        self._connections.discard(connection)


def _waits_since(connection: HttpConnection) -> float:
    return math.inf if connection.waits_since is None else connection.waits_since


def access_rules(address: tuple[str, int], token: str | None) -> AccessRules:
    """The rules for requests to *address*."""
    host, port = address
    if host in _WILDCARDS:
        return AccessRules(None, token)
    names = {host, "localhost", *_LOOPBACK} if host in _LOOPBACK else {host}
    hosts = frozenset(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in names)
    return AccessRules(hosts, token)
