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
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

import trio

from broker.config import Config
from broker.faults.fault_rules import FaultRules
from broker.network.clients.connection_setup import ConnectionSetup
from broker.network.clients.connections import Connections
from broker.network.listeners.local_listener import LocalListener
from broker.network.listeners.throttled_sockets import ThrottledSockets
from broker.network.transports.transport import SocketTransport, Transport
from broker.process.descriptors import OVERLOADED, ClientDescriptors
from broker.quotas.connection_quotas import ConnectionQuotas
from broker.quotas.listener_quotas import ListenerQuotas
from broker.security.listeners.endpoints import configured_listeners

log = logging.getLogger("antechamber.connection")

# After that many the open connections are served, so that a burst does not delay them.
_ACCEPTED_AT_ONCE = 8
# While the system has no descriptor left, new connections wait in the backlog.
_OVERLOAD_PAUSE_S = 0.1
# The option SO_LINGER: on, for 0 seconds.
_RESET_AT_ONCE = struct.pack("HH" if sys.platform == "win32" else "ii", 1, 0)

_Connected = socket.socket | Transport


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

    async def run(self, listener: socket.socket) -> None:
        """Accept connections until cancelled; the node serves them."""
        try:
            await self._accept(listener)
        finally:
            self._throttled.close()

    async def run_locally(self, listener: LocalListener) -> None:
        """Accept connections of other nodes of the process until cancelled."""
        try:
            while True:
                transport = await listener.accept()
                try:
                    await self._quotas.acceptable()
                except trio.Cancelled:
                    transport.close()
                    raise
                self._begin(transport, transport.peer, transport.close)
        finally:
            self._throttled.close()

    async def _accept(self, listener: socket.socket) -> None:
        quotas = self._quotas
        while True:
            await quotas.acceptable()
            await trio.lowlevel.wait_readable(listener)
            try:
                for _ in range(_ACCEPTED_AT_ONCE):
                    if not quotas.may_accept:
                        break
                    connected, address = listener.accept()
                    self._begin(connected, address[0], partial(reset, connected))
            except BlockingIOError:
                continue
            except OSError as error:
                if error.errno in OVERLOADED:
                    await trio.sleep(_OVERLOAD_PAUSE_S)
                # else the client has closed the connection before it was accepted

    def _begin(self, connected: _Connected, address: str, refuse: Callable[[], None]) -> None:
        """Let an accepted connection be served, or close it; an exception ends this one only."""
        try:
            if self._may_begin(connected, address, refuse):
                self._open(connected, address)
        except OSError as error:  # the client has disconnected, or the system has no memory
            log.info("closing a connection from %s: %s", address, error)
            connected.close()
        except Exception as bug:
            connected.close()
            self._connections.on_bug(address, bug)

    def _may_begin(self, connected: _Connected, address: str, refuse: Callable[[], None]) -> bool:
        """Whether an accepted connection is served; closes it, now or later, if it is not.

        *refuse* closes one that a fault rule refuses.
        """
        if self._faults.for_connections and self._faults.refuses(self._node_id, self._listener):
            log.info("resetting a connection from %s: a fault rule refuses it", address)
            refuse()
            return False
        if not self._descriptors.take():
            log.info("refusing a connection from %s: too many files are open", address)
            connected.close()
            return False
        try:
            return self._is_within_quotas(connected, address)
        except Exception:
            self._descriptors.give_back()
            raise

    def _is_within_quotas(self, connected: _Connected, address: str) -> bool:
        throttle_ms = self._quotas.record(address)
        if throttle_ms:
            log.info(
                "closing a connection from %s in %d ms: it exceeds its quota of "
                "connection_creation_rate",
                address,
                throttle_ms,
            )
            self._throttled.add(connected, throttle_ms)
            return False
        if self._quotas.admit(address):
            return True
        log.info("refusing a connection from %s: it has too many", address)
        connected.close()
        self._descriptors.give_back()
        return False

    def _transport(self, connected: _Connected) -> Transport:
        if not isinstance(connected, socket.socket):
            return connected
        send_bytes = self._config.socket_send_buffer_bytes
        return SocketTransport(connected, send_bytes, self._config.socket_receive_buffer_bytes)

    def _open(self, connected: _Connected, address: str) -> None:
        """Let an admitted connection be served."""
        try:
            opening = self._setup.open(self._transport(connected))
        except Exception:
            self._ended(address)
            raise
        self._connections.open(opening, partial(self._ended, address))

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
