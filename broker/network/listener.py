"""Sockets that listen: bound before all else, so that a port in use is one clear line.

A connection is accepted when there is room for it, and closed at once when its address has too
many (`broker.quotas.connection_quotas`), or the process has no descriptor left for clients
(`broker.process.descriptors`).
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Mapping, Sequence

import trio

from broker.common.errors import StartupError
from broker.network.connection import Connection
from broker.network.transport import SocketTransport, Transport, connect
from broker.node import Node
from broker.process.descriptors import OVERLOADED, ClientDescriptors, shares

log = logging.getLogger("antechamber.connection")

_BACKLOG = 4096
# Then the connections that are there get their turn.
_ACCEPTED_AT_ONCE = 64
# While the system has no descriptor left, those in the backlog wait.
_OVERLOAD_PAUSE_S = 0.1
_WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to


def reachable(bind_host: str) -> str:
    """The host by which this machine reaches what is bound to *bind_host*."""
    return "127.0.0.1" if bind_host in _WILDCARDS else bind_host


def listen(option: str, host: str, port: int) -> socket.socket:
    """A listening socket; raises `StartupError` that names *option* when that cannot be."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise StartupError(
            f"--host: {host!r} is not an address of this machine; give an address or a host name"
        ) from None
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(_BACKLOG)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRNOTAVAIL:
            raise StartupError(
                f"--host: {host!r} is not an address of this machine; give one of its own"
            ) from None
        reason = "in use" if error.errno == errno.EADDRINUSE else (error.strerror or str(error))
        raise StartupError(
            f"{option}: port {port} on {host} is {reason}; give a free one, or 0 for any"
        ) from None
    listener.setblocking(False)
    return listener


class TcpNetwork:
    """Nodes at addresses of this machine; ``listeners`` are those bound before the start, by port.

    ``advertised`` are the addresses that clients are told, one for each listener. They may lead
    here by ways that only clients have, so nodes reach each other past them. A node that is
    stopped closes its port, and one that is started again binds it anew.
    """

    def __init__(
        self,
        listeners: Mapping[int, socket.socket],
        bind_host: str,
        advertised: Sequence[tuple[str, int]],
    ) -> None:
        self._listeners = dict(listeners)
        self._bind_host = bind_host
        self._ports = dict(zip(advertised, listeners, strict=True))
        self._descriptors = ClientDescriptors(shares().clients)
        self.advertised = list(advertised)

    def listening(self, host: str, port: int) -> tuple[str, int]:
        """Where the node listens that is known by that address."""
        return self._bind_host, self._ports[host, port]

    async def connect(self, host: str, port: int) -> Transport:
        """A connection to the node that is known by that address; raises OSError if it is down."""
        return await connect(reachable(self._bind_host), self._ports[host, port])

    async def serve(self, node: Node) -> None:
        """Accept and serve connections at the node's port, until cancelled."""
        port = self._ports[node.host, node.port]
        listener = self._listeners.pop(port, None) or listen("--port", self._bind_host, port)
        with listener:
            async with trio.open_nursery() as nursery:
                await accept_connections(listener, node, nursery, self._descriptors)

    def close(self) -> None:
        """Close the sockets that no node has taken."""
        for listener in self._listeners.values():
            listener.close()


async def accept_connections(
    listener: socket.socket, node: Node, nursery: trio.Nursery, descriptors: ClientDescriptors
) -> None:
    """Serve every client that comes, each in a task of its own, until cancelled."""
    quotas = node.connection_quotas
    while True:
        await quotas.acceptable()
        await trio.lowlevel.wait_readable(listener)
        try:
            for _ in range(_ACCEPTED_AT_ONCE):
                if not quotas.may_accept:
                    break
                connected, address = listener.accept()
                if not _admit(node, address[0], descriptors):
                    connected.close()
                    continue
                nursery.start_soon(
                    serve_connection, connected, address[0], node, nursery, descriptors
                )
        except BlockingIOError:
            continue
        except OSError as error:
            if error.errno in OVERLOADED:
                await trio.sleep(_OVERLOAD_PAUSE_S)
            # else the client was gone before it was accepted


def _admit(node: Node, address: str, descriptors: ClientDescriptors) -> bool:
    """Count a connection that was accepted; False if it must be closed."""
    if not descriptors.take():
        log.info("refusing a connection from %s: too many files are open", address)
        return False
    if not node.connection_quotas.admit(address):
        descriptors.give_back()
        log.info("refusing a connection from %s: it has too many", address)
        return False
    return True


async def serve_connection(
    connected: socket.socket,
    address: str,
    node: Node,
    nursery: trio.Nursery,
    descriptors: ClientDescriptors,
) -> None:
    """One client that was admitted, from accept to close."""
    config = node.config
    transport = SocketTransport(
        connected, config.socket_send_buffer_bytes, config.socket_receive_buffer_bytes
    )
    connection = connection_to(node, transport, nursery)
    node.connections.add(connection)
    try:
        await connection.run()
    finally:
        node.connections.discard(connection)
        node.connection_quotas.leave(address)
        descriptors.give_back()


def connection_to(node: Node, transport: Transport, nursery: trio.Nursery) -> Connection:
    """A client's connection to the node, which nobody runs yet."""
    return Connection(
        transport,
        node.dispatch,
        nursery,
        request_bytes_max=node.config.socket_request_max_bytes,
        scratch=node.scratch,
        timer=node.timer,
        idle_ms=node.config.connections_max_idle_ms,
        memory=node.request_memory,
        recorder=node.recorder,
        on_bug=node.unexpected_errors.in_connection,
    )
