"""A client in memory, and a broker node to talk to: what most tests of the broker begin with.

async with running_node(tmp_path) as node:
    client = node.client()
    response = await client.send(MetadataRequest(topics=None))
"""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from broker.clock import TrioClock
from broker.config import Config, Setting
from broker.connection import Connection
from broker.controller.controller import Controller
from broker.controller.image import Broker
from broker.controller.store import ControllerStore
from broker.node import Node
from broker.topic_config import check_topic_configs
from protocol.headers import decode_response, encode_request
from protocol.messages import RESPONSES
from tests.memory_transport import MemoryTransport, memory_transport_pair

EPOCH_MS = 1_700_000_000_000.0


class Client:
    """A connection as a client has it."""

    def __init__(self, transport: MemoryTransport, connection: Connection) -> None:
        self.transport = transport
        self.connection = connection
        self._sent: list[tuple[type, int]] = []
        self._received = bytearray()
        self._correlation_id = 0

    def start(self, body: Any, version: int | None = None, client_id: str = "test") -> None:
        """Send a request and do not wait for its answer."""
        version = body.__spec__.versions[-1] if version is None else version
        self._correlation_id += 1
        self.write(encode_request(body, version, self._correlation_id, client_id))
        self._sent.append((RESPONSES[body.__spec__.key], version))

    async def send(self, body: Any, version: int | None = None, client_id: str = "test") -> Any:
        """Send a request and wait for its answer."""
        self.start(body, version, client_id)
        return await self.receive()

    async def receive(self) -> Any:
        """The answer to the oldest request that has none yet."""
        cls, version = self._sent.pop(0)
        _, body = decode_response(cls, version, memoryview(await self.frame()))
        return body

    def write(self, data: bytes) -> None:
        """Send raw bytes."""
        sent = self.transport.send([data])
        assert sent == len(data), "give the transport more room"

    async def frame(self) -> bytes:
        """The next frame, raw and without its length."""
        (size,) = struct.unpack(">i", await self._exactly(4))
        return await self._exactly(size)

    async def closed(self) -> bool:
        """Wait until the broker has closed the connection; False if bytes come instead."""
        await self.transport.wait_readable()
        return not self.transport.incoming

    def nothing_arrived(self) -> bool:
        """Whether no byte waits to be read."""
        return not self.transport.incoming and not self._received

    def close(self) -> None:
        """Go away."""
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


class RunningNode:
    """A node with its timers running, and clients on request."""

    def __init__(self, node: Node, controller: Controller, nursery: trio.Nursery) -> None:
        self.node = node
        self.controller = controller
        self._nursery = nursery

    def client(self, room: int = 1 << 24) -> Client:
        """A new connection."""
        ours, theirs = memory_transport_pair(room)
        connection = Connection(
            theirs,
            self.node.dispatch,
            self._nursery,
            request_bytes_max=self.node.config.socket_request_max_bytes,
            scratch=self.node.scratch,
        )
        self._nursery.start_soon(connection.run)
        return Client(ours, connection)


@asynccontextmanager
async def running_node(
    data_dir: Path, *, kept: bool = False, **config: str
) -> AsyncIterator[RunningNode]:
    """A one-node broker without sockets; config keys are given with ``_`` for ``.``.

    ``kept``: the controller's memory lies in *data_dir*, too, and survives.
    """
    properties = {key.replace("_", "."): value for key, value in config.items()}
    settings = Config.from_settings(
        Setting(key, value, "test") for key, value in properties.items()
    )
    clock = TrioClock(EPOCH_MS)
    store = ControllerStore(data_dir / "controller.db" if kept else None)
    controller = Controller(store, settings, check_topic_configs)
    node = Node(Broker(1, "127.0.0.1", 9092), settings, clock, controller, data_dir, durable=kept)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(node.keep_time)
            yield RunningNode(node, controller, nursery)
            nursery.cancel_scope.cancel()
    finally:
        node.close()
        controller.close()
