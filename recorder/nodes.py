"""A local port for each upstream node, opened when a response first contains the node."""

from __future__ import annotations

import itertools
import socket
import sys
from collections.abc import Callable
from functools import partial

import trio

from recorder.addresses import Address
from recorder.exchange import Exchange, Record, TopicNames
from recorder.relay import relay

CONNECT_WITHIN_S = 10.0
_BACKLOG = 256


class Nodes:
    """The upstream nodes that responses have contained; *keep* receives the records."""

    def __init__(
        self,
        host: str,
        nursery: trio.Nursery,
        keep: Callable[[Record], None],
        now_us: Callable[[], int],
    ) -> None:
        self._host = host
        self._nursery = nursery
        self._keep = keep
        self._now_us = now_us
        self._names = TopicNames()
        self._ids: dict[Address, int] = {}
        self._ports: dict[Address, int] = {}
        self._numbers = itertools.count(1)

    def serve(self, upstream: Address, port: int = 0) -> int:
        """Listen for clients of *upstream* and forward their requests; returns the port.

        Raises `OSError` if *port* is in use.
        """
        if upstream not in self._ports:
            listener = _listen(self._host, port)
            self._ports[upstream] = listener.getsockname()[1]
            self._nursery.start_soon(self._accept, listener, upstream)
        return self._ports[upstream]

    def local(self, client: trio.SocketStream, node_id: int, upstream: Address) -> Address:
        """The address of a node for *client*: the host that it connected to, and a local port."""
        self._ids[upstream] = node_id
        return Address(client.socket.getsockname()[0], self.serve(upstream))

    async def _accept(self, listener: socket.socket, upstream: Address) -> None:
        opened = trio.SocketListener(trio.socket.from_stdlib_socket(listener))

        async def passed_on(client: trio.SocketStream) -> None:
            await self._forward(client, upstream)

        await trio.serve_listeners(passed_on, [opened])

    async def _forward(self, client: trio.SocketStream, upstream: Address) -> None:
        try:
            with trio.fail_after(CONNECT_WITHIN_S):
                node = await trio.open_tcp_stream(*upstream)
        except (OSError, trio.TooSlowError):
            await client.aclose()  # as if the node had refused the connection
            return
        exchange = Exchange(
            next(self._numbers),
            lambda: self._ids.get(upstream),
            self._names,
            partial(self.local, client),
        )
        await relay(client, node, exchange, self._keep, self._now_us)


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it lets several sockets share a port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(_BACKLOG)
    except OSError:
        listener.close()
        raise
    return listener
