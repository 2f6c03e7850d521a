"""Accepts connections, and closes those that are too many.

A connection is accepted when there is room for it, and closed at once when its address has too many
(`broker.quotas.listener_quotas`), or the process has no descriptor left for clients
(`broker.process.descriptors`). Connections of the inter-broker listener replace those of others.
"""

from __future__ import annotations

import logging
import socket
import struct
import sys
from collections.abc import Mapping
from functools import partial
from typing import Protocol

import trio

from broker.config import Config
from broker.faults.fault_rules import FaultRules
from broker.network.clients.connection_setup import ConnectionSetup
from broker.network.clients.connections import Connections
from broker.network.listeners.throttled_sockets import ThrottledSockets
from broker.network.transports.transport import SocketTransport
from broker.process.descriptors import OVERLOADED, ClientDescriptors
from broker.quotas.connection_quotas import ConnectionQuotas
from broker.quotas.listener_quotas import ListenerQuotas
from broker.security.listeners.endpoints import configured_listeners

log = logging.getLogger("antechamber.connection")

# After that many the open connections are served.
_ACCEPTED_AT_ONCE = 64
# While the system has no descriptor left, new connections wait in the backlog.
_OVERLOAD_PAUSE_S = 0.1
# The option SO_LINGER: on, for 0 seconds.
_RESET_AT_ONCE = struct.pack("HH" if sys.platform == "win32" else "ii", 1, 0)


class ServingNode(Protocol):
    """What a listener uses of the node whose clients it accepts."""

    id: int
    config: Config
    faults: FaultRules
    connections: Connections
    connection_quotas: ConnectionQuotas
    listeners: Mapping[str, ConnectionSetup]


class Acceptor:
    """Accepts the connections of a node's listener (Kafka's ``Acceptor``)."""

    def __init__(self, node: ServingNode, listener: str, descriptors: ClientDescriptors) -> None:
        self._config = node.config
        self._node_id, self._listener, self._faults = node.id, listener, node.faults
        self._connections = node.connections
        self._setup = node.listeners[listener]
        self._quotas = ListenerQuotas(
            node.connection_quotas,
            node.config,
            listener,
            is_exempt=_protected_listener(node) == listener,
        )
        self._descriptors = descriptors
        self._throttled = ThrottledSockets(node.connection_quotas.timer, descriptors.give_back)

    async def run(self, listener: socket.socket, peer: str | None = None) -> None:
        """Accept connections until cancelled; the node serves them.

        *peer* is the address of all clients of a listener that is not one of TCP.
        """
        try:
            await self._accept(listener, peer)
        finally:
            self._throttled.close()

    async def _accept(self, listener: socket.socket, peer: str | None) -> None:
        quotas = self._quotas
        while True:
            await quotas.acceptable()
            await trio.lowlevel.wait_readable(listener)
            try:
                for _ in range(_ACCEPTED_AT_ONCE):
                    if not quotas.may_accept:
                        break
                    connected, address = listener.accept()
                    self._accepted(connected, peer or address[0], is_tcp=peer is None)
            except BlockingIOError:
                continue
            except OSError as error:
                if error.errno in OVERLOADED:
                    await trio.sleep(_OVERLOAD_PAUSE_S)
                # else the client has closed the connection before it was accepted

    def _accepted(self, connected: socket.socket, address: str, *, is_tcp: bool) -> None:
        """Serve an accepted connection, or close it, now or later."""
        if self._faults.for_connections and self._faults.refuses(self._node_id, self._listener):
            log.info("resetting a connection from %s: a fault rule refuses it", address)
            reset(connected)
            return
        if not self._descriptors.take():
            log.info("refusing a connection from %s: too many files are open", address)
            connected.close()
            return
        throttle_ms = self._quotas.record(address)
        if throttle_ms:
            log.info(
                "closing a connection from %s in %d ms: it exceeds its quota of "
                "connection_creation_rate",
                address,
                throttle_ms,
            )
            self._throttled.add(connected, throttle_ms)
        elif self._quotas.admit(address):
            self._open(connected, address, is_tcp)
        else:
            log.info("refusing a connection from %s: it has too many", address)
            connected.close()
            self._descriptors.give_back()

    def _open(self, connected: socket.socket, address: str, is_tcp: bool) -> None:
        """Let an admitted connection be served."""
        if is_tcp:
            config = self._config
            send_bytes = config.socket_send_buffer_bytes
            receive_bytes = config.socket_receive_buffer_bytes
            transport = SocketTransport(connected, send_bytes, receive_bytes)
        else:
            transport = SocketTransport(connected, peer=address)
        self._connections.open(self._setup.open(transport), partial(self._ended, address))

    def _ended(self, address: str) -> None:
        self._quotas.leave(address)
        self._descriptors.give_back()


def reset(connected: socket.socket) -> None:
    """Close the socket so that the client's next call fails with ECONNRESET."""
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET_AT_ONCE)
    connected.close()


async def close_excess_connections(node: ServingNode) -> None:
    """Close connections for those of the inter-broker listener, until cancelled.

    Above ``max.connections`` the least recently used connections of other listeners are closed
    (``Processor.closeExcessConnections``).
    """
    quotas, protected = node.connection_quotas, _protected_listener(node)
    while True:
        await quotas.changed()
        if quotas.excess:
            node.connections.close_least_recently_used(quotas.excess, protected)


def _protected_listener(node: ServingNode) -> str | None:
    """The inter-broker listener, if there are others (``ConnectionQuotas.protectedListener``)."""
    return configured_listeners(node.config).inter_broker if len(node.listeners) > 1 else None
