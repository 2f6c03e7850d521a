"""Listening sockets, and the connections that are accepted from them.

Sockets are bound before anything else is started, so that a port in use is reported at once. A
connection is accepted when there is room for it, and closed at once when its address has too many
(`broker.quotas.connection_quotas`), or the process has no descriptor left for clients
(`broker.process.descriptors`).
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Mapping, Sequence
from typing import Protocol

import trio

from broker.common.errors import StartupError
from broker.config import Config
from broker.network.connections import Connections
from broker.network.transport import SocketTransport, Transport, connect
from broker.process.descriptors import OVERLOADED, ClientDescriptors, shares
from broker.quotas.connection_quotas import ConnectionQuotas

log = logging.getLogger("antechamber.connection")

_BACKLOG = 4096
# After that many the open connections are served.
_ACCEPTED_AT_ONCE = 64
# While the system has no descriptor left, new connections wait in the backlog.
_OVERLOAD_PAUSE_S = 0.1
_WILDCARDS = frozenset({"0.0.0.0", "::", ""})  # noqa: S104 - compared with, not bound to


def reachable(bind_host: str) -> str:
    """The host at which this machine reaches a socket that is bound to *bind_host*."""
    return "127.0.0.1" if bind_host in _WILDCARDS else bind_host


def listen(option: str, host: str, port: int) -> socket.socket:
    """A listening socket; raises `StartupError`, which names *option*."""
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


class ServingNode(Protocol):
    """What a listener uses of the node whose clients it accepts."""

    host: str
    port: int
    config: Config
    connections: Connections
    connection_quotas: ConnectionQuotas


class TcpNetwork:
    """The nodes of the process at their ports; ``listeners`` are bound sockets by port.

    ``advertised`` are the addresses that clients are given, one for each listener. They may be
    reachable for clients only, so nodes connect to each other at the bound address. A node that is
    stopped closes its port; a node that is started again binds it.
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
        """The bound address of the node with that advertised address."""
        return self._bind_host, self._ports[host, port]

    async def connect(self, host: str, port: int) -> Transport:
        """A connection to the node with that advertised address; raises OSError if it is down."""
        return await connect(reachable(self._bind_host), self._ports[host, port])

    async def serve(self, node: ServingNode) -> None:
        """Accept and serve connections at the node's port, until cancelled."""
        port = self._ports[node.host, node.port]
        listener = self._listeners.pop(port, None) or listen("--port", self._bind_host, port)
        with listener:
            async with trio.open_nursery() as nursery:
                await Acceptor(node, self._descriptors, nursery).run(listener)

    def close(self) -> None:
        """Close the sockets that no node has taken."""
        for listener in self._listeners.values():
            listener.close()


class Acceptor:
    """Accepts the connections of one node (Kafka's ``Acceptor``); each has tasks in *nursery*."""

    def __init__(
        self, node: ServingNode, descriptors: ClientDescriptors, nursery: trio.Nursery
    ) -> None:
        self._config = node.config
        self._connections = node.connections
        self._quotas = node.connection_quotas
        self._descriptors = descriptors
        self._nursery = nursery

    async def run(self, listener: socket.socket) -> None:
        """Accept and serve connections until cancelled."""
        quotas = self._quotas
        while True:
            await quotas.acceptable()
            await trio.lowlevel.wait_readable(listener)
            try:
                for _ in range(_ACCEPTED_AT_ONCE):
                    if not quotas.may_accept:
                        break
                    connected, address = listener.accept()
                    if self._admit(address[0]):
                        self._nursery.start_soon(self._serve, connected, address[0])
                    else:
                        connected.close()
            except BlockingIOError:
                continue
            except OSError as error:
                if error.errno in OVERLOADED:
                    await trio.sleep(_OVERLOAD_PAUSE_S)
                # else the client has closed the connection before it was accepted

    def _admit(self, address: str) -> bool:
        """Count an accepted connection; False if it must be closed."""
        if not self._descriptors.take():
            log.info("refusing a connection from %s: too many files are open", address)
            return False
        if not self._quotas.admit(address):
            self._descriptors.give_back()
            log.info("refusing a connection from %s: it has too many", address)
            return False
        return True

    async def _serve(self, connected: socket.socket, address: str) -> None:
        """Serve an admitted connection until it is closed."""
        config = self._config
        transport = SocketTransport(
            connected, config.socket_send_buffer_bytes, config.socket_receive_buffer_bytes
        )
        task = self._connections.open(transport, self._nursery)
        try:
            await self._connections.serve(task)
        finally:
            self._quotas.leave(address)
            self._descriptors.give_back()
