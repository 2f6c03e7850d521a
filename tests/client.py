"""A client and a running node or cluster in memory, which most tests of the broker use.

async with running_node(tmp_path) as node:
    client = node.client()
    response = await client.send(MetadataRequest(topics=None))
"""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio
import trio.testing

from broker.cluster import Cluster
from broker.common.adjustable_clock import AdjustableClock
from broker.common.clock import Clock
from broker.config import Config, Setting
from broker.config.topics import check_topic_configs
from broker.controller.controller import Controller
from broker.controller.database.store import ControllerStore
from broker.controller.metadata.image import Broker
from broker.network.clients.connection import Connection
from broker.network.transports.memory_transport import MemoryTransport
from broker.node import Node
from broker.security.listeners.endpoints import configured_listeners
from broker.steps.offload import Offload
from broker.wait_records.recorder import Recorder
from broker.what_if.memory_network import MemoryNetwork, Wrap
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from protocol.messages.produce import ProduceRequest

EPOCH_MS = 1_700_000_000_000.0


class Client:
    """The client's side of a connection."""

    def __init__(self, transport: MemoryTransport, connection: Connection) -> None:
        self.transport = transport
        self.connection = connection
        self._sent: list[tuple[type, int]] = []
        self._received = bytearray()
        self._correlation_id = 0

    def start(self, body: Any, version: int | None = None, client_id: str = "test") -> None:
        """Send a request without waiting for its response; a produce with acks=0 has none."""
        version = body.__spec__.versions[-1] if version is None else version
        self._correlation_id += 1
        self.write(encode_request(body, version, self._correlation_id, client_id))
        if not (isinstance(body, ProduceRequest) and body.acks == 0):
            self._sent.append((RESPONSES[body.__spec__.key], version))

    async def send(self, body: Any, version: int | None = None, client_id: str = "test") -> Any:
        """Send a request and wait for its response."""
        self.start(body, version, client_id)
        return await self.receive()

    async def receive(self) -> Any:
        """The response to the oldest request that has none yet."""
        cls, version = self._sent.pop(0)
        _, body = decode_response(cls, version, memoryview(await self.frame()))
        return body

    def write(self, data: bytes) -> None:
        """Send raw bytes."""
        sent = self.transport.send([data])
        assert sent == len(data), "give the transport more room"

    async def frame(self) -> bytes:
        """The bytes of the next frame, without its length."""
        (size,) = struct.unpack(">i", await self._exactly(4))
        return await self._exactly(size)

    async def closed(self) -> bool:
        """Wait until the broker closes the connection; False if it sends bytes instead."""
        await self.transport.wait_readable()
        return not self.transport.incoming

    def nothing_arrived(self) -> bool:
        """Whether no byte has arrived that was not received."""
        return not self.transport.incoming and not self._received

    def close(self) -> None:
        """Close the connection."""
        self.transport.close()

    async def _exactly(self, count: int) -> bytes:
        buffer = bytearray(1 << 16)
        while len(self._received) < count:
            await self.transport.wait_readable()
            got = self.transport.receive_into(memoryview(buffer))
            if got == 0:
                raise EOFError("the broker closed the connection")
            self._received += buffer[:got]
        data = bytes(self._received[:count])
        del self._received[:count]
        return data


class RunningCluster:
    """Nodes whose timers and fetchers run."""

    def __init__(self, cluster: Cluster, network: MemoryNetwork) -> None:
        self.cluster = cluster
        self.controller = cluster.controller
        self.network = network

    def node(self, node_id: int) -> Node:
        """A running node."""
        return self.cluster.node(node_id)

    def client(self, node_id: int, room: int = 1 << 24, *, listener: str = "PLAINTEXT") -> Client:
        """A new connection to a node by that listener."""
        port = self.node(node_id).port
        return Client(*self.network.join(port, room, listener=listener))


class RunningNode(RunningCluster):
    """A cluster of one."""

    @property
    def node(self) -> Node:  # type: ignore[override]  # there is but one
        """The node."""
        return self.cluster.node(1)

    def client(  # type: ignore[override]  # the same
        self, room: int = 1 << 24, wrap: Wrap | None = None
    ) -> Client:
        """A new connection; ``wrap`` replaces the node's transport."""
        return Client(*self.network.join(self.node.port, room, wrap))


def _broker(node_id: int, config: Config, racks: Sequence[str]) -> Broker:
    """A node at its port in memory, with the listeners that the configuration advertises."""
    host, port = "127.0.0.1", 9091 + node_id
    if "listeners" not in config.given:
        return Broker(node_id, host, port, rack=racks[node_id - 1] if racks else None)
    advertised = configured_listeners(config).advertised
    endpoints = {name: (each.host, each.port + node_id) for name, each in advertised.items()}
    return Broker(node_id, host, port, endpoints=endpoints)


@asynccontextmanager
async def _running(
    data_dir: Path,
    brokers: int,
    kept: bool,
    config: dict[str, str],
    recorder: Callable[[Clock], Recorder] | None = None,
    offload: Offload | None = None,
    racks: Sequence[str] = (),
) -> AsyncIterator[tuple[Cluster, MemoryNetwork]]:
    properties = {key.replace("_", "."): value for key, value in config.items()}
    settings = Config.from_settings(
        Setting(key, value, "test") for key, value in properties.items()
    )
    network = MemoryNetwork()
    if "listeners" in settings.given:
        bound = configured_listeners(settings).bound
        network.unadvertised = {each.listener: (each.host, each.port) for each in bound}
    clock = AdjustableClock(EPOCH_MS)
    store = ControllerStore(data_dir / "controller.db" if kept else None)
    cluster = Cluster(
        [_broker(index, settings, racks) for index in range(1, brokers + 1)],
        settings,
        clock,
        Controller(store, settings, check_topic_configs),
        data_dir,
        network,
        durable=kept,
        recorder=None if recorder is None else recorder(clock),
        offload=offload,
    )
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(cluster.run)
            await trio.testing.wait_all_tasks_blocked()
            yield cluster, network
            nursery.cancel_scope.cancel()
    finally:
        cluster.close()
        cluster.controller.close()


@asynccontextmanager
async def running_node(
    data_dir: Path, *, kept: bool = False, offload: Offload | None = None, **config: str
) -> AsyncIterator[RunningNode]:
    """A one-node broker without sockets; config keys are given with ``_`` for ``.``.

    ``kept``: the controller's state is in *data_dir*, too, and survives. ``offload`` is where long
    computations run, on the loop by default.
    """
    async with _running(data_dir, 1, kept, config, offload=offload) as (cluster, network):
        yield RunningNode(cluster, network)


@asynccontextmanager
async def running_cluster(
    data_dir: Path,
    brokers: int = 3,
    *,
    kept: bool = False,
    recorder: Callable[[Clock], Recorder] | None = None,
    offload: Offload | None = None,
    racks: Sequence[str] = (),
    **config: str,
) -> AsyncIterator[RunningCluster]:
    """Several nodes without sockets, as `running_node`; ``recorder`` makes one from the clock.

    ``racks`` has the rack of each node.
    """
    running = _running(data_dir, brokers, kept, config, recorder, offload, racks)
    async with running as (cluster, network):
        yield RunningCluster(cluster, network)
