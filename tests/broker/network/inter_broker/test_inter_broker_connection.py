"""A connection between nodes."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from uuid import UUID

import pytest
import trio
import trio.testing

from broker.network.inter_broker.inter_broker_connection import InterBrokerConnection, Use
from broker.network.transports.transport import Disconnected
from broker.steps.queue import Slices
from protocol.codec import Malformed
from protocol.messages.fetch import FetchRequest, FetchResponse
from tests.broker.replication.follower.scripted_leader import (
    LEADER,
    SESSION,
    FollowingNode,
    PartitionData,
    ScriptedLeader,
    following,
)

pytestmark = pytest.mark.anyio

TOPIC_ID = UUID(int=7)
REQUEST = FetchRequest(max_wait_ms=500, min_bytes=1, topics=[])


def _data(records: bytes) -> PartitionData:
    return PartitionData(partition_index=0, high_watermark=0, records=records)


class Follower:
    """A connection to the leader, the responses used, and the reasons of its end."""

    def __init__(self, node: FollowingNode, leader: ScriptedLeader) -> None:
        self.node, self.leader = node, leader
        self.connection: InterBrokerConnection
        self.used: list[FetchResponse] = []
        self.ended: list[Exception] = []

    async def connect(self) -> None:
        """Connect to the leader."""
        self.connection = await self.node.others.connections(self.leader.connect).open(
            self.node.link_to(LEADER),
            "",
            0,
            "node-1",
            self.ended.append,
            lambda: self.node.paused,
        )

    async def send(self, use: Use | None = None) -> None:
        """Send a request, and run all tasks until they wait."""
        self.connection.send_request(REQUEST, use or self.keep)
        await trio.testing.wait_all_tasks_blocked()

    async def receive(self, records: bytes = b"") -> None:
        """Respond to the request, and run all tasks until they wait."""
        self.leader.respond_to_fetch(TOPIC_ID, _data(records))
        await trio.testing.wait_all_tasks_blocked()

    def keep(self, response: FetchResponse) -> Slices[None]:
        """The use that keeps the response."""
        self.used.append(response)
        yield from ()


@asynccontextmanager
async def connected(room: int = 1 << 20) -> AsyncIterator[Follower]:
    """A follower's connection, with a send buffer of *room* bytes."""
    async with following() as (node, leader, _):
        follower = Follower(node, leader)
        await follower.connect()
        assert leader.transport is not None
        leader.transport.other.room = room
        yield follower


async def test_a_request_is_sent_and_its_response_used() -> None:
    """In the newest version, with the follower's client id."""
    async with connected() as follower:
        await follower.send()
        request = await follower.leader.fetch()
        await follower.receive()

        header = follower.leader.header
        assert header is not None
        assert (header.client_id, header.api_version, request.max_wait_ms) == ("node-1", 18, 500)
        assert [each.session_id for each in follower.used] == [SESSION]


async def test_a_use_sends_the_next_request() -> None:
    """Without a task switch: it is sent when the use has ended."""
    async with connected() as follower:

        def use(_response: FetchResponse) -> Slices[None]:
            follower.connection.send_request(REQUEST, follower.keep)
            assert follower.leader.has_request
            yield from ()

        await follower.send(use)
        await follower.leader.fetch()
        await follower.receive()
        await follower.leader.fetch()
        await follower.receive()

        assert len(follower.used) == 1


async def test_a_held_connection_uses_no_response_before_it_is_resumed() -> None:
    """Responses stay in the transport."""
    async with connected() as follower:
        await follower.send()
        await follower.leader.fetch()
        follower.node.going = trio.Event()
        await follower.receive()
        assert follower.used == []

        follower.node.going.set()
        follower.connection.resume()
        await trio.testing.wait_all_tasks_blocked()

        assert len(follower.used) == 1


async def test_a_connection_that_is_held_while_idle_continues() -> None:
    """A pause between two requests loses nothing."""
    async with connected() as follower:
        follower.node.going = trio.Event()
        follower.node.going.set()
        follower.connection.resume()
        await follower.send()
        await follower.leader.fetch()
        await follower.receive()

        assert len(follower.used) == 1


async def test_a_disconnect_is_the_end() -> None:
    """Before the response, and while no request is in flight."""
    for is_requested in (True, False):
        async with connected() as follower:
            if is_requested:
                await follower.send()
                await follower.leader.fetch()
            follower.leader.disconnect()
            await trio.testing.wait_all_tasks_blocked()

            [reason] = follower.ended
            assert isinstance(reason, Disconnected)
            assert follower.connection.is_closed


@pytest.mark.parametrize("is_requested", [True, False])
async def test_an_invalid_response_is_the_end(is_requested: bool) -> None:
    """A frame that is too short, or without a request."""
    async with connected() as follower:
        if is_requested:
            await follower.send()
        assert follower.leader.transport is not None
        follower.leader.transport.send([b"\0\0\0\6", b"\0\0\0\1", b"\0\0"])
        await trio.testing.wait_all_tasks_blocked()

        [reason] = follower.ended
        assert isinstance(reason, Malformed)


async def test_the_response_of_another_request_is_malformed() -> None:
    """The order of responses is that of requests."""
    async with connected() as follower:
        await follower.send()
        await follower.leader.fetch()
        assert follower.leader.header is not None
        follower.leader.header = replace(follower.leader.header, correlation_id=7)
        await follower.receive()

        [reason] = follower.ended
        assert isinstance(reason, Malformed)


async def test_a_response_before_the_whole_request_is_malformed() -> None:
    """A node responds to requests only."""
    async with connected(room=10) as follower:
        await follower.send()
        assert follower.leader.transport is not None
        follower.leader.transport.send([b"\0\0\0\4", b"\0\0\0\1"])
        await trio.testing.wait_all_tasks_blocked()

        [reason] = follower.ended
        assert isinstance(reason, Malformed)


async def test_an_exception_of_a_use_is_the_end() -> None:
    """The user reports it."""
    async with connected() as follower:

        def use(_response: FetchResponse) -> Slices[None]:
            raise ValueError("bug")
            yield

        await follower.send(use)
        await follower.leader.fetch()
        await follower.receive()

        assert [str(reason) for reason in follower.ended] == ["bug"]
        assert follower.connection.is_closed


async def test_a_large_request_is_sent_as_the_transport_has_room() -> None:
    """A full socket buffer is not an error."""
    async with connected(room=10) as follower:
        await follower.send()
        await follower.leader.fetch()
        await follower.receive()

        assert len(follower.used) == 1


async def test_a_long_response_is_used_in_slices() -> None:
    """Other tasks run in between; the records stay valid until the last one."""
    async with connected() as follower:
        steps: list[bytes] = []

        def use(response: FetchResponse) -> Slices[None]:
            for _ in range(3):
                steps.append(bytes(response.responses[0].partitions[0].records or b""))
                yield None

        await follower.send(use)
        await follower.leader.fetch()
        follower.leader.respond_to_fetch(TOPIC_ID, _data(b"r" * 100_000))
        seen = set()
        while len(steps) < 3:
            seen.add(len(steps))
            await trio.lowlevel.checkpoint()

        assert len(seen) > 1
        assert steps == [b"r" * 100_000] * 3


async def test_closing_calls_nothing() -> None:
    """Neither the use of the request in flight nor the callback of the end."""
    async with connected() as follower:
        await follower.send()
        await follower.leader.fetch()
        follower.leader.respond_to_fetch(TOPIC_ID, _data(b""))
        follower.connection.close()
        await trio.testing.wait_all_tasks_blocked()

        assert (follower.used, follower.ended) == ([], [])


async def test_a_node_that_stops_ends_its_connections() -> None:
    """Also one that it opens afterwards."""
    async with connected() as follower:
        follower.node.others.channels.close()

        [reason] = follower.ended
        assert str(reason) == "the node stops"
        with pytest.raises(Disconnected):
            await follower.connect()
