"""The admin listener: what it serves, and to whom.

It has room for so many connections. When one more comes, the connection for whose client the broker
has waited longest is closed for it: slow clients shut nobody out. If all wait for the broker, the
new one is closed.
"""

from __future__ import annotations

import math
import socket

import trio

from broker.admin.facts import Facts
from broker.admin.http import HttpConnection, OnError, raise_error
from broker.admin.paths import routes
from broker.admin.routes import Gate, Router
from broker.process.descriptors import OVERLOADED, shares
from purgatories.timer.system_timer import SystemTimer

_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to
# While no descriptor is free, those in the backlog wait.
_OVERLOAD_PAUSE_S = 0.1


async def serve_admin(
    listener: socket.socket,
    facts: Facts,
    timer: SystemTimer,
    on_error: OnError = raise_error,
    *,
    token: str | None = None,
) -> None:
    """Answer admin requests on a listening socket until cancelled.

    *timer* is one that outlives every node: on it runs the time of those who wait. ``on_error`` is
    given the exceptions that handlers raise.
    """
    router = Router(routes(facts, timer), gate(listener.getsockname()[:2], token))
    accepting = trio.SocketListener(trio.socket.from_stdlib_socket(listener))
    room = Room(shares().admin)

    async def serve(stream: trio.SocketStream) -> None:
        connection = HttpConnection(stream, router, on_error)
        if not room.enter(connection):
            connection.close()
        try:
            await connection.serve()
        finally:
            room.leave(connection)

    async with accepting, trio.open_nursery() as nursery:
        while True:
            try:
                stream = await accepting.accept()
            except OSError as error:
                if error.errno in OVERLOADED:
                    await trio.sleep(_OVERLOAD_PAUSE_S)
            else:
                nursery.start_soon(serve, stream)


class Room:
    """The connections that are served, at most ``size`` of them."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._connections: set[HttpConnection] = set()

    def enter(self, connection: HttpConnection) -> bool:
        """Make room for *connection*; False if all others wait for the broker."""
        if len(self._connections) >= self._size:
            slowest = min(self._connections, key=_waits_since)
            if slowest.waits_since is None:
                return False
            slowest.close()
            self._connections.discard(slowest)
        self._connections.add(connection)
        return True

    def leave(self, connection: HttpConnection) -> None:
        """*connection* is closed."""
        self._connections.discard(connection)


def _waits_since(connection: HttpConnection) -> float:
    return math.inf if connection.waits_since is None else connection.waits_since


def gate(address: tuple[str, int], token: str | None) -> Gate:
    """What requests to this address must show."""
    host, port = address
    if host in _WILDCARDS:
        return Gate(None, token)
    names = {host, "localhost", *_LOOPBACK} if host in _LOOPBACK else {host}
    return Gate(frozenset(f"[{n}]:{port}" if ":" in n else f"{n}:{port}" for n in names), token)
