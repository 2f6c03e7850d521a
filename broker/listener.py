"""Sockets that listen: bound before all else, so that a port in use is one clear line."""

from __future__ import annotations

import errno
import socket
from collections.abc import Mapping

import trio

from broker.connection import Connection
from broker.errors import StartupError
from broker.node import Node
from broker.transport import SocketTransport, Transport, connect

_BACKLOG = 4096
# A burst of connections may exhaust file descriptors; those waiting in the backlog can wait on.
_OVERLOADED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
_OVERLOAD_PAUSE_S = 0.1


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

    A node that is stopped closes its port, and one that is started again binds it anew.
    """

    def __init__(self, listeners: Mapping[int, socket.socket], bind_host: str) -> None:
        self._listeners = dict(listeners)
        self._bind_host = bind_host
        self.ports = list(listeners)

    async def connect(self, host: str, port: int) -> Transport:
        """A connection to the node at that address; raises OSError if there is none."""
        return await connect(host, port)

    async def serve(self, node: Node) -> None:
        """Accept and serve connections at the node's port, until cancelled."""
        listener = self._listeners.pop(node.port, None) or listen(
            "--port", self._bind_host, node.port
        )
        with listener:
            async with trio.open_nursery() as nursery:
                await accept_connections(listener, node, nursery)

    def close(self) -> None:
        """Close the sockets that no node has taken."""
        for listener in self._listeners.values():
            listener.close()


async def accept_connections(listener: socket.socket, node: Node, nursery: trio.Nursery) -> None:
    """Serve every client that comes, each in a task of its own, until cancelled."""
    while True:
        await trio.lowlevel.wait_readable(listener)
        try:
            while True:
                connected, _ = listener.accept()
                nursery.start_soon(serve_connection, connected, node, nursery)
        except BlockingIOError:
            continue
        except OSError as error:
            if error.errno not in _OVERLOADED:
                continue  # the client was gone before it was accepted
            await trio.sleep(_OVERLOAD_PAUSE_S)


async def serve_connection(connected: socket.socket, node: Node, nursery: trio.Nursery) -> None:
    """One client, from accept to close."""
    connection = Connection(
        SocketTransport(connected),
        node.dispatch,
        nursery,
        request_bytes_max=node.config.socket_request_max_bytes,
        scratch=node.scratch,
        now_ms=node.clock.now_ms,
        recorder=node.recorder,
    )
    node.connections.add(connection)
    try:
        await connection.run()
    finally:
        node.connections.discard(connection)
