"""Listening sockets, and the connections that are accepted from them.

Sockets are bound before anything else is started, so that a port in use is reported at once. A
connection is accepted when there is room for it, and closed at once when its address has too many
(`broker.quotas.listener_quotas`), or the process has no descriptor left for clients
(`broker.process.descriptors`). Connections of the inter-broker listener replace those of others.
"""

from __future__ import annotations

import errno
import logging
import socket
import struct
import sys
from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import Protocol

import trio

from broker.common.errors import StartupError
from broker.config import Config
from broker.faults.fault_rules import FaultRules
from broker.network.clients.connection_setup import ConnectionSetup
from broker.network.clients.connections import Connections
from broker.network.listeners.address_option import ADDRESS_OPTION
from broker.network.listeners.local_listener import connect_locally, listen_locally
from broker.network.listeners.throttled_sockets import ThrottledSockets
from broker.network.transports.transport import SocketTransport, Transport, connect
from broker.process.descriptors import OVERLOADED, ClientDescriptors, shares
from broker.quotas.connection_quotas import ConnectionQuotas
from broker.quotas.listener_quotas import ListenerQuotas
from broker.security.listeners.endpoints import Endpoint, Listeners, configured_listeners
from broker.security.listeners.hosts import own_host, reachable
from protocol.lazy_dataclass import dataclass

log = logging.getLogger("antechamber.connection")

_BACKLOG = 4096
# After that many the open connections are served.
_ACCEPTED_AT_ONCE = 64
# While the system has no descriptor left, new connections wait in the backlog.
_OVERLOAD_PAUSE_S = 0.1
# The option SO_LINGER: on, for 0 seconds.
_RESET_AT_ONCE = struct.pack("HH" if sys.platform == "win32" else "ii", 1, 0)


def listen(what: str, host: str, port: int, remedy: str = "give a free one") -> socket.socket:
    """A listening socket for *what*; an empty host is all addresses. Raises `StartupError`.

    *remedy* is what to do about a port in use.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise StartupError(
            f"{what}: {host!r} cannot be resolved; give an address of this machine"
        ) from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, ADDRESS_OPTION, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise StartupError(
                f"{what}: {host!r} is not an address of this machine; give one of its own"
            ) from None
        reason = "in use" if error.errno == errno.EADDRINUSE else (error.strerror or str(error))
        raise StartupError(
            f"{what}: port {port} on {host or 'all addresses'} is {reason}; {remedy}, or 0 for any"
        ) from None
    listener.setblocking(False)
    return listener


class Registered(Protocol):
    """What the network uses of a registered node."""

    @property
    def node_id(self) -> int:
        """Its id."""
        ...


class ServingNode(Protocol):
    """What a listener uses of the node whose clients it accepts."""

    id: int
    config: Config
    faults: FaultRules
    connections: Connections
    connection_quotas: ConnectionQuotas
    listeners: Mapping[str, ConnectionSetup]


@dataclass(slots=True)
class Bound:
    """A listener's bound address; ``listener`` is None after a node has taken it.

    ``local`` is the socket for other nodes (`broker.network.listeners.local_listener`); None if
    they connect to the address, or the node is stopped.
    """

    host: str
    port: int
    listener: socket.socket | None
    local: socket.socket | None = None

    def end_local(self) -> None:
        """Have the nodes connect by TCP, which the stopped node refuses."""
        self.local = None


class TcpNetwork:
    """The nodes of the process at their ports.

    Nodes connect to each other at a socket without a port, or, on other systems than Linux, at the
    bound address of ``inter_broker``, because the advertised ones may be reachable for clients
    only. A node that is stopped closes its ports; a node that is started again binds them.
    """

    def __init__(self, listeners: Listeners, nodes: int) -> None:
        """Bind the ports of that number of nodes; raises `StartupError`."""
        self._descriptors = ClientDescriptors(shares().clients)
        with ExitStack() as undo:
            undo.callback(self.close)
            self._bound: dict[int, dict[str, Bound]] = {}
            for index in range(nodes):
                bound = self._bound[index + 1] = dict[str, Bound]()
                for endpoint in listeners.bound:
                    bound[endpoint.listener] = _bind(endpoint, index)
            undo.pop_all()
        # By node and listener: the addresses that clients are given.
        self.advertised = {
            node_id: {
                name: (
                    endpoint.host or own_host(bound[name].host),
                    endpoint.port + node_id - 1 if endpoint.port else bound[name].port,
                )
                for name, endpoint in listeners.advertised.items()
            }
            for node_id, bound in self._bound.items()
        }
        name = self._inter_broker = listeners.inter_broker
        self._targets = {
            self.advertised[node_id][name]: bound[name] for node_id, bound in self._bound.items()
        }
        for target in self._targets.values():
            target.local = listen_locally(_BACKLOG)

    def listening(self, node: Registered) -> Mapping[str, tuple[str, int]]:
        """The bound addresses of a node, by listener."""
        return {name: (each.host, each.port) for name, each in self._bound[node.node_id].items()}

    async def connect(self, host: str, port: int) -> Transport:
        """A connection to the node with that address for other nodes.

        Raises OSError if the node is stopped.
        """
        target = self._targets[host, port]
        address = reachable(target.host)
        if target.local is not None:
            return SocketTransport(connect_locally(target.local), peer=address)
        return await connect(address, target.port)

    async def serve(self, node: ServingNode) -> None:
        """Accept and serve connections at the node's ports, until cancelled."""
        with ExitStack() as sockets:
            async with trio.open_nursery() as nursery:
                for name, bound in self._bound[node.id].items():
                    acceptor = Acceptor(node, name, self._descriptors)
                    listener, bound.listener = bound.listener or _listen_again(name, bound), None
                    nursery.start_soon(acceptor.run, sockets.enter_context(listener))
                    if name == self._inter_broker:
                        bound.local = bound.local or listen_locally(_BACKLOG)
                    if bound.local is not None:
                        peer = reachable(listener.getsockname()[0])
                        nursery.start_soon(acceptor.run, sockets.enter_context(bound.local), peer)
                        sockets.callback(bound.end_local)
                nursery.start_soon(close_excess_connections, node)

    def close(self) -> None:
        """Close the sockets that no node has taken."""
        for bound in self._bound.values():
            for each in bound.values():
                for listener in (each.listener, each.local):
                    if listener is not None:
                        listener.close()


def _bind(endpoint: Endpoint, index: int) -> Bound:
    port = endpoint.port + index if endpoint.port else 0
    remedy = "give a free one by --port or listeners"
    listener = listen(f"the listener {endpoint.listener}", endpoint.host, port, remedy)
    return Bound(endpoint.host, listener.getsockname()[1], listener)


def _listen_again(name: str, bound: Bound) -> socket.socket:
    return listen(f"the listener {name}", bound.host, bound.port)


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
