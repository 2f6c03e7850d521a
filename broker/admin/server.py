"""The admin listener: what it serves, and to whom."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Protocol

import trio

from broker.admin.http import HttpConnection
from broker.admin.routes import Gate, Handler, Query, Router, Routes

CONNECTIONS_MAX = 64
_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_WILDCARDS = frozenset({"0.0.0.0", "::"})  # noqa: S104 - compared with, not bound to


class Facts(Protocol):
    """What the broker tells about itself; both give a new value that JSON can hold."""

    def cluster(self) -> dict[str, object]:
        """Nodes, topics, leaders, in-sync replicas and offsets."""
        ...

    def statistics(self) -> dict[str, object]:
        """Purgatories, timers, connections, memory."""
        ...


async def serve_admin(listener: socket.socket, facts: Facts, *, token: str | None = None) -> None:
    """Answer admin requests on a listening socket until cancelled."""
    router = Router(routes(facts), gate(listener.getsockname()[:2], token))
    asynchronous = trio.socket.from_stdlib_socket(listener)
    limiter = trio.CapacityLimiter(CONNECTIONS_MAX)

    async def serve(stream: trio.SocketStream) -> None:
        # More connections than that wait for one to end; what they have sent waits in the kernel.
        async with limiter:
            await HttpConnection(stream, router).serve()

    await trio.serve_listeners(serve, [trio.SocketListener(asynchronous)])


def routes(facts: Facts) -> Routes:
    """The paths there are."""
    return {
        "/v1/cluster": {"GET": _tell(facts.cluster)},
        "/v1/statistics": {"GET": _tell(facts.statistics)},
    }


def gate(address: tuple[str, int], token: str | None) -> Gate:
    """What requests to this address must show."""
    host, port = address
    if host in _WILDCARDS:
        return Gate(None, token)
    names = {host, "localhost", *_LOOPBACK} if host in _LOOPBACK else {host}
    return Gate(frozenset(f"[{n}]:{port}" if ":" in n else f"{n}:{port}" for n in names), token)


def _tell(fact: Callable[[], dict[str, object]]) -> Handler:
    async def answer(_query: Query) -> object:
        return fact()

    return answer
