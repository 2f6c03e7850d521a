"""Serves the admin interface, with a limit of connections.

A connection beyond the limit closes the one whose client the broker has waited for the longest, so
that slow clients cannot exclude others. If all clients wait for the broker, the new connection is
closed.
"""

from __future__ import annotations

import math
import socket
import ssl

import trio

from broker.admin.access import access_rules
from broker.admin.facts.facts import Facts
from broker.admin.http import HttpConnection, raise_error
from broker.admin.listener import AdminListener
from broker.admin.page.files import page_files
from broker.admin.paths import routes
from broker.admin.routes import Router
from broker.admin.tls import TlsStream
from broker.network.transports.transport import SocketTransport
from broker.process.descriptors import shares
from purgatories.on_error import OnError
from purgatories.timer.system_timer import SystemTimer


class AdminServer:
    """Serves connections that *listener* has accepted.

    The timeouts of ``/v1/wait`` run on *timer*, which must outlive every node. *on_error* receives
    the exceptions that handlers raise.
    """

    def __init__(
        self,
        listener: AdminListener,
        facts: Facts,
        timer: SystemTimer,
        on_error: OnError = raise_error,
    ) -> None:
        rules = access_rules(listener.address, listener.tokens)
        self._router = Router(routes(facts, timer), rules, page_files())
        self._context = listener.context
        self._limit = ConnectionLimit(shares().admin)
        self._on_error = on_error

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve a connection until it is closed."""
        transport = _with_tls(stream, self._context)
        connection = HttpConnection(transport, self._router, self._on_error)
        if not self._limit.add(connection):
            connection.close()
        try:
            await connection.serve()
        finally:
            self._limit.remove(connection)


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


def _with_tls(stream: trio.SocketStream, context: ssl.SSLContext | None) -> trio.abc.Stream:
    if context is None:
        return stream
    transport = SocketTransport(socket.socket(fileno=stream.socket.detach()))
    return TlsStream(transport, context)
