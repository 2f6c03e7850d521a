"""The ports of the nodes, and the connections between nodes."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from contextlib import ExitStack
from typing import Protocol

import trio

from broker.network.listeners.acceptor import Acceptor, ServingNode, close_excess_connections
from broker.network.listeners.listening_socket import BACKLOG, listen
from broker.network.listeners.local_listener import LocalListener
from broker.network.transports.transport import Transport, connect
from broker.process.descriptors import ClientDescriptors, shares
from broker.security.listeners.endpoints import Endpoint, Listeners
from broker.security.listeners.hosts import own_host, reachable
from protocol.lazy_dataclass import dataclass


class Registered(Protocol):
    """What the network uses of a registered node."""

    @property
    def node_id(self) -> int:
        """Its id."""
        ...


@dataclass(slots=True)
class Bound:
    """A listener's bound host and port; ``listener`` is None after a node has taken it.

    ``address`` is the numeric address of the host, which other nodes have as that of their peer.
    ``local`` is the listener for the other nodes of the process; None if they connect to another
    listener, or the node is stopped.
    """

    host: str
    address: str
    port: int
    listener: socket.socket | None
    local: LocalListener | None = None

    def listen_locally(self) -> LocalListener:
        """Accept connections of the other nodes."""
        self.local = LocalListener(reachable(self.address), BACKLOG)
        return self.local

    def end_local(self) -> None:
        """Have the nodes connect by TCP, which the stopped node refuses."""
        if self.local is not None:
            self.local.close()
            self.local = None


class TcpNetwork:
    """The nodes of the process at their ports.

    Nodes connect to each other without sockets. A node that is stopped closes its ports; a node
    that is started again binds them. Nodes connect to the port of a stopped one, at the bound
    address of ``inter_broker``, because the advertised ones may be reachable for clients only.
    """

    def __init__(self, listeners: Listeners, nodes: int, first_id: int = 1) -> None:
        """Bind the ports of *nodes* nodes, with ids from *first_id*; raises `StartupError`."""
        self._descriptors = ClientDescriptors(shares().clients)
        with ExitStack() as undo:
            undo.callback(self.close)
            self._bound: dict[int, dict[str, Bound]] = {}
            for index in range(nodes):
                bound = self._bound[first_id + index] = dict[str, Bound]()
                for endpoint in listeners.bound:
                    bound[endpoint.listener] = _bind(endpoint, index)
            undo.pop_all()
        # By node and listener: the addresses that clients are given.
        self.advertised = {
            node_id: {
                name: (
                    endpoint.host or own_host(bound[name].host),
                    endpoint.port + node_id - first_id if endpoint.port else bound[name].port,
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
            target.listen_locally()

    def listening(self, node: Registered) -> Mapping[str, tuple[str, int]]:
        """The bound addresses of a node, by listener."""
        return {name: (each.host, each.port) for name, each in self._bound[node.node_id].items()}

    async def connect(self, host: str, port: int) -> Transport:
        """A connection to the node with that address for other nodes.

        Raises OSError if the node is stopped.
        """
        target = self._targets[host, port]
        if target.local is not None:
            return target.local.connect()
        return await connect(reachable(target.host), target.port)

    async def serve(self, node: ServingNode) -> None:
        """Accept and serve connections at the node's ports, until cancelled."""
        with ExitStack() as sockets:
            async with trio.open_nursery() as nursery:
                for name, bound in self._bound[node.id].items():
                    acceptor = Acceptor(node, name, self._descriptors)
                    listener, bound.listener = bound.listener or _listen_again(name, bound), None
                    nursery.start_soon(acceptor.run, sockets.enter_context(listener))
                    if name == self._inter_broker:
                        local = bound.local or bound.listen_locally()
                        nursery.start_soon(acceptor.run_locally, local)
                        sockets.callback(bound.end_local)
                nursery.start_soon(close_excess_connections, node)

    def close(self) -> None:
        """Close the sockets that no node has taken."""
        for bound in self._bound.values():
            for each in bound.values():
                each.end_local()
                if each.listener is not None:
                    each.listener.close()


def _bind(endpoint: Endpoint, index: int) -> Bound:
    port = endpoint.port + index if endpoint.port else 0
    listener = listen(
        f"the listener {endpoint.listener}",
        endpoint.host,
        port,
        host_by=" by --host or listeners",
        port_by=" by --port or listeners",
    )
    address, bound_port = listener.getsockname()[:2]
    return Bound(endpoint.host, address, bound_port, listener)


def _listen_again(name: str, bound: Bound) -> socket.socket:
    return listen(f"the listener {name}", bound.host, bound.port)
