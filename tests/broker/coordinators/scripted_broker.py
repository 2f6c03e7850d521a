"""Nodes that respond to requests of other nodes as a test says."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio
import trio.testing

from broker.common.clock import TrioClock
from broker.config import Config
from broker.controller.metadata.image import Broker
from broker.coordinators.inter_broker_sender import SenderParts
from broker.links.links import Links
from broker.network.inter_broker.link import Link
from broker.network.inter_broker.node_links import NodeLinks
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.steps.queue import StepQueue
from protocol.codec import Output, decode, encode_into
from protocol.frame_length import finish_frame
from protocol.framing import Inbox, Scratch
from protocol.headers import RequestHeader, begin_response, decode_request_header, peek
from protocol.messages import REQUESTS
from purgatories.action_queue import ActionQueue
from purgatories.on_error import OnError
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.broker.network.other_nodes import OtherNodes

OWN = 1


class Accepted:
    """A connection that a node has accepted."""

    def __init__(self, transport: MemoryTransport) -> None:
        self.transport = transport
        self._inbox = Inbox(1 << 24, Scratch())
        self._header: RequestHeader | None = None

    @property
    def is_closed(self) -> bool:
        """Whether the other end has closed the connection."""
        return self.transport.other.closed

    @property
    def client_id(self) -> str | None:
        """The client id of the last request."""
        assert self._header is not None
        return self._header.client_id

    def request(self) -> Any | None:
        """The next request; None if none has arrived."""
        while (frame := self._inbox.next_frame()) is None:
            self._inbox.settle()
            try:
                count = self.transport.receive_into(self._inbox.space())
            except BlockingIOError:
                return None
            if not count:
                return None
            self._inbox.received(count)
        raw = bytes(frame)
        self._header, position = decode_request_header(frame, raw, *peek(raw))
        cls = REQUESTS[self._header.api_key]
        return decode(cls, self._header.api_version, frame[position:])

    async def respond(self, body: Any) -> None:
        """Respond to the last request, and run all tasks until only time is awaited."""
        assert self._header is not None
        out = Output()
        start = begin_response(out, self._header)
        encode_into(out, body, self._header.api_version)
        finish_frame(out, start)
        self.transport.send([out.joined()])
        await trio.testing.wait_all_tasks_blocked()

    async def close(self) -> None:
        """Close the connection, and run all tasks until only time is awaited."""
        self.transport.close()
        await trio.testing.wait_all_tasks_blocked()


class ScriptedBrokers:
    """Nodes by their port, 9091 + id; ``down`` ones refuse connections, ``deaf`` ones hang.

    ``room`` is the size of the send buffer of each new connection, in bytes.
    """

    def __init__(self) -> None:
        self.accepted: dict[int, list[Accepted]] = {}
        self.down: set[int] = set()
        self.deaf: set[int] = set()
        self.room = 1 << 20

    async def connect(self, _host: str, port: int) -> MemoryTransport:
        """A connection to a node."""
        await trio.lowlevel.checkpoint()
        node_id = port - 9091
        if node_id in self.deaf:
            await trio.sleep_forever()
        if node_id in self.down:
            raise ConnectionRefusedError("down")
        ours, theirs = memory_transport_pair()
        ours.room = self.room
        self.accepted.setdefault(node_id, []).append(Accepted(theirs))
        return ours

    def connections(self, node_id: int) -> list[Accepted]:
        """The connections that a node has accepted, the last one at the end."""
        return self.accepted.get(node_id, [])

    def last(self, node_id: int) -> Accepted:
        """The last connection that a node has accepted."""
        return self.connections(node_id)[-1]


class SendingBroker:
    """Node 1, which sends requests; ``errors`` are the exceptions of its callbacks."""

    node_id = OWN

    def __init__(self) -> None:
        self.config = Config()
        self.others = OtherNodes()
        self.now_ms = TrioClock().now_ms
        self.errors: list[Exception] = []
        on_error: OnError = lambda _, error: self.errors.append(error)  # noqa: E731 - it is typed
        self.timer = SystemTimer("node", now_ms=self.now_ms, on_error=on_error)
        self.links = Links(self.timer)
        self.actions = ActionQueue()
        self.steps = StepQueue(self.now_ms)
        self.brokers = {n: Broker(n, "127.0.0.1", 9091 + n, 100 + n) for n in (1, 2, 3)}

    def sender_parts(self, brokers: ScriptedBrokers) -> SenderParts:
        return SenderParts(self, self.others.connections(brokers.connect), self.actions, self.steps)

    def link_to(self, node_id: int) -> Link:
        return NodeLinks(self.links, self.node_id, self.timer, self.config).to(node_id)

    def alive(self, node_id: int) -> Broker | None:
        return self.brokers.get(node_id)


@asynccontextmanager
async def sending() -> AsyncIterator[tuple[SendingBroker, ScriptedBrokers, trio.Nursery]]:
    """A node with a running timer, all nodes, and a nursery that is cancelled at the end."""
    node = SendingBroker()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, node.timer)
        nursery.start_soon(node.others.run)
        nursery.start_soon(node.steps.run)
        yield node, ScriptedBrokers(), nursery
        nursery.cancel_scope.cancel()


async def settle() -> None:
    """Return when nothing more happens unless time passes."""
    await trio.testing.wait_all_tasks_blocked()


async def pass_ms(milliseconds: float) -> None:
    """Let time pass, and run what expires meanwhile."""
    await trio.sleep(milliseconds / 1000)
    await settle()
