"""The admin listener: what it serves, and to whom."""

from __future__ import annotations

import socket

import trio

from broker.admin.facts import Facts
from broker.admin.http import HttpConnection
from broker.admin.paths import routes
from broker.admin.routes import Gate, Router
from purgatories.timer.system_timer import SystemTimer

CONNECTIONS_MAX = 64
_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


async def serve_admin(
    listener: socket.socket, facts: Facts, timer: SystemTimer, *, token: str | None = None
) -> None:
    """Answer admin requests on a listening socket until cancelled.

    *timer* is one that outlives every node: on it runs the time of those who wait.
    """
    router = Router(routes(facts, timer), gate(listener.getsockname()[:2], token))
    asynchronous = trio.socket.from_stdlib_socket(listener)
    limiter = trio.CapacityLimiter(CONNECTIONS_MAX)

    async def serve(stream: trio.SocketStream) -> None:
        # More connections than that wait for one to end; what they have sent waits in the kernel.
        async with limiter:
            await HttpConnection(stream, router).serve()

    await trio.serve_listeners(serve, [trio.SocketListener(asynchronous)])


def gate(address: tuple[str, int], token: str | None) -> Gate:
    """What requests to this address must show."""
    host, port = address
    if host in _WILDCARDS:
        return Gate(None, token)
    names = {host, "localhost", *_LOOPBACK} if host in _LOOPBACK else {host}
    return Gate(frozenset(f"[{n}]:{port}" if ":" in n else f"{n}:{port}" for n in names), token)
