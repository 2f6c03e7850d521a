"""Connects the nodes of a cluster, and clients, in memory: without sockets, in any time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import trio

from broker.controller.metadata.image import Broker
from broker.network.clients.connection import Connection
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.network.transports.transport import Transport
from broker.node import Node

Wrap = Callable[[MemoryTransport], Transport]


class MemoryNetwork:
    """Connects nodes and clients in memory; a node is identified by its port."""

    def __init__(self) -> None:
        self._serving: dict[int, Node] = {}
        # Listeners that clients can connect to, and that are not advertised.
        self.unadvertised: dict[str, tuple[str, int]] = {}

    def listening(self, broker: Broker) -> Mapping[str, tuple[str, int]]:
        """The advertised addresses, and those of listeners without one."""
        return {**self.unadvertised, **broker.endpoints}

    async def connect(self, host: str, port: int) -> MemoryTransport:  # noqa: ARG002 - all nodes are on one host
        """A connection to the node at that port, which must be serving."""
        await trio.lowlevel.checkpoint()
        return self.join(port)[0]

    async def serve(self, node: Node) -> None:
        """Accept connections to the node until cancelled."""
        self._serving[node.port] = node
        try:
            await trio.sleep_forever()
        finally:
            del self._serving[node.port]

    def pair(self, _port: int, room: int) -> tuple[Any, Any]:
        """Both ends of a new connection to that port; subclasses have other transports."""
        return memory_transport_pair(room)

    def join(
        self,
        port: int,
        room: int = 1 << 24,
        wrap: Wrap | None = None,
        listener: str = "PLAINTEXT",
    ) -> tuple[MemoryTransport, Connection]:
        """Both ends of a new connection: the client's transport, and the node's connection.

        ``wrap`` replaces the node's transport.
        """
        if port not in self._serving:
            raise ConnectionRefusedError
        node = self._serving[port]
        if node.faults.refuses(node.id, listener):
            raise ConnectionResetError
        ours, theirs = self.pair(port, room)
        if wrap is not None:
            theirs = wrap(theirs)
        return ours, node.connections.open(node.listeners[listener].open(theirs))
