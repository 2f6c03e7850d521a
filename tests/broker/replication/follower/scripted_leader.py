"""A leader that responds as the test says, and the node of a follower that fetches from it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import trio

from broker.common.clock import TrioClock
from broker.common.topic_partition import TopicPartition
from broker.config import Config
from broker.config.dynamic_only_keys import FOLLOWER_RATE
from broker.controller.metadata.image import Broker
from broker.links.links import Links
from broker.network.inter_broker.link import Link
from broker.network.inter_broker.node_links import NodeLinks
from broker.network.transports.memory_transport import MemoryTransport, memory_transport_pair
from broker.quotas.replication_quota import ReplicationQuota
from protocol.codec import Output, decode, encode_into
from protocol.frame_length import finish_frame
from protocol.framing import Inbox, Scratch
from protocol.headers import RequestHeader, begin_response, decode_request_header, peek
from protocol.messages import REQUESTS
from protocol.messages.fetch import FetchableTopicResponse, FetchRequest, FetchResponse
from protocol.messages.fetch import PartitionData as PartitionData
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.trio_reaper import run_reaper
from tests.broker.network.other_nodes import OtherNodes

LEADER = 2
SESSION = 77


class ScriptedLeader:
    """Accepts connections while ``is_up``; the test reads requests and sends responses."""

    def __init__(self) -> None:
        self.is_up = True
        self.connections = 0
        self._connected = trio.Event()
        self.transport: MemoryTransport | None = None
        self._inbox = Inbox(1 << 24, Scratch())
        self.header: RequestHeader | None = None

    async def connect(self, _host: str, _port: int) -> MemoryTransport:
        """A connection to it."""
        await trio.lowlevel.checkpoint()
        if not self.is_up:
            raise ConnectionRefusedError
        self.connections += 1
        theirs, self.transport = memory_transport_pair()
        self._inbox = Inbox(1 << 24, Scratch())
        self._connected.set()
        return theirs

    async def request(self) -> Any:
        """The next request."""
        while (frame := self._inbox.next_frame()) is None:
            await self._more()
        raw = bytes(frame)
        self.header, position = decode_request_header(frame, raw, *peek(raw))
        cls = REQUESTS[self.header.api_key]
        return decode(cls, self.header.api_version, frame[position:])

    async def fetch(self) -> FetchRequest:
        """The next request, which is a Fetch."""
        request = await self.request()
        assert isinstance(request, FetchRequest)
        return request

    def respond(self, body: Any) -> None:
        """Respond to the last request."""
        assert self.header is not None
        assert self.transport is not None
        out = Output()
        start = begin_response(out, self.header)
        encode_into(out, body, self.header.api_version)
        finish_frame(out, start)
        self.transport.send([out.joined()])

    def respond_to_fetch(self, topic_id: Any, *partitions: PartitionData, error: int = 0) -> None:
        """Respond to a Fetch with these partitions of one topic."""
        topics = [FetchableTopicResponse(topic_id=topic_id, partitions=list(partitions))]
        self.respond(
            FetchResponse(
                error_code=error, session_id=SESSION, responses=topics if partitions else []
            )
        )

    def disconnect(self) -> None:
        """Close the connection."""
        assert self.transport is not None
        self.transport.close()

    @property
    def has_request(self) -> bool:
        """Whether a request is waiting to be read."""
        return self.transport is not None and bool(self.transport.incoming)

    async def _more(self) -> None:
        """Receive, on the follower's next connection if it has closed this one."""
        while self.transport is None:
            await self._connected.wait()
        self._inbox.settle()
        transport = self.transport
        await transport.wait_readable()
        if count := transport.receive_into(self._inbox.space()):
            self._inbox.received(count)
        elif self.transport is transport:
            self.transport, self._connected = None, trio.Event()


class FollowingNode:
    """Node 1, which can be paused; its image has the leader unless a test removes it."""

    node_id = 1

    def __init__(self) -> None:
        self.config = Config()
        self.others = OtherNodes()
        self.now_ms = TrioClock().now_ms
        self.timer = SystemTimer("node", now_ms=self.now_ms)
        self.follower_quota = ReplicationQuota(
            self.node_id, self.config, self.now_ms, FOLLOWER_RATE
        )
        self.links = Links(self.timer)
        self.brokers = {n: Broker(n, "127.0.0.1", 9091 + n, 100 + n) for n in (1, LEADER, 3)}
        self.moved: list[tuple[TopicPartition, int]] = []
        self.going = trio.Event()
        self.going.set()

    def link_to(self, node_id: int) -> Link:
        return NodeLinks(self.links, self.node_id, self.timer, self.config).to(node_id)

    def alive(self, node_id: int) -> Broker | None:
        return self.brokers.get(node_id)

    @property
    def paused(self) -> bool:
        return not self.going.is_set()

    async def wait_until_resumed(self) -> None:
        if self.paused:
            await self.going.wait()

    def replicated(self, key: TopicPartition, high_watermark: int) -> None:
        self.moved.append((key, high_watermark))


@asynccontextmanager
async def following() -> AsyncIterator[tuple[FollowingNode, ScriptedLeader, trio.Nursery]]:
    """A node with a running timer, its leader, and a nursery that is cancelled at the end."""
    node = FollowingNode()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(run_reaper, node.timer)
        nursery.start_soon(node.others.run)
        yield node, ScriptedLeader(), nursery
        nursery.cancel_scope.cancel()
