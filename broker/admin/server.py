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

from broker.admin.facts import Facts
from broker.admin.http import HttpConnection, OnError, raise_error
from broker.admin.listener import AdminListener
from broker.admin.page.files import page_files
from broker.admin.paths import routes
from broker.admin.routes import Router
from broker.admin.tls import TlsStream
from broker.network.transport import SocketTransport
from broker.process.descriptors import OVERLOADED, shares
from purgatories.timer.system_timer import SystemTimer

# New connections wait in the backlog while the process has no free descriptor.
_OVERLOAD_PAUSE_S = 0.1


async def serve_admin(
    listener: AdminListener,
    facts: Facts,
    timer: SystemTimer,
    on_error: OnError = raise_error,
) -> None:
    """Serve admin requests on a listening socket until cancelled.

    The timeouts of ``/v1/wait`` run on *timer*, which must outlive every node. *on_error* receives
    the exceptions that handlers raise.
    """
    router = Router(routes(facts, timer), listener.rules, page_files())
    accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener.socket))
    limit = ConnectionLimit(shares().admin)

    async def serve(stream: trio.SocketStream) -> None:
        connection = HttpConnection(_with_tls(stream, listener.context), router, on_error)
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


def _with_tls(stream: trio.SocketStream, context: ssl.SSLContext | None) -> trio.abc.Stream:
    if context is None:
        return stream
    transport = SocketTransport(socket.socket(fileno=stream.socket.detach()))
    return TlsStream(transport, context)
