"""A connection between nodes."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from broker.network.inter_broker_connection import InterBrokerConnection
from broker.network.transport import Disconnected
from broker.what_if.memory_transport import memory_transport_pair
from protocol.codec import Malformed
from protocol.messages.fetch import FetchRequest, FetchResponse
from tests.broker.replication.follower.scripted_leader import (
    SESSION,
    FollowingNode,
    ScriptedLeader,
)

pytestmark = pytest.mark.anyio


async def _connected(leader: ScriptedLeader, node: FollowingNode) -> InterBrokerConnection:
    transport = await leader.connect("", 0)
    return InterBrokerConnection(transport, node.scratch, "node-1", node.may_fetch)


def _request(max_wait_ms: int = 500) -> FetchRequest:
    return FetchRequest(max_wait_ms=max_wait_ms, min_bytes=1, topics=[])


def _session_id(response: FetchResponse) -> int:
    return response.session_id


async def test_a_request_is_sent_and_its_response_used() -> None:
    """In the newest version, with the follower's client id."""
    leader, node = ScriptedLeader(), FollowingNode()
    connection = await _connected(leader, node)
    requested: list[FetchRequest] = []

    async def serve() -> None:
        requested.append(await leader.fetch())
        leader.respond_to_fetch(None)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        used = await connection.send_request(_request(123), _session_id)

    assert used == SESSION
    assert requested[0].max_wait_ms == 123
    assert leader.header is not None
    assert leader.header.client_id == "node-1"
    assert leader.header.api_version == 18


async def test_a_paused_node_neither_sends_nor_receives() -> None:
    """Responses stay in the transport."""
    leader, node = ScriptedLeader(), FollowingNode()
    connection = await _connected(leader, node)
    used: list[int] = []
    node.going = trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(connection.send_request, _request(), lambda r: used.append(r.session_id))
        await trio.testing.wait_all_tasks_blocked()
        assert not leader.has_request

        node.going.set()
        await leader.fetch()
        node.going = trio.Event()
        leader.respond_to_fetch(None)
        await trio.testing.wait_all_tasks_blocked()
        assert used == []

        node.going.set()

    assert used == [SESSION]


async def test_a_closed_connection_is_an_exception() -> None:
    """Before the response, or in the middle of it."""
    leader, node = ScriptedLeader(), FollowingNode()
    connection = await _connected(leader, node)

    async def serve() -> None:
        await leader.fetch()
        leader.disconnect()

    with pytest.RaisesGroup(Disconnected):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            await connection.send_request(_request(), _session_id)


async def test_an_invalid_response_is_malformed() -> None:
    """The fetcher then disconnects."""
    node = FollowingNode()
    ours, theirs = memory_transport_pair()
    connection = InterBrokerConnection(ours, node.scratch, "node-1", node.may_fetch)
    theirs.send([(6).to_bytes(4, "big"), (1).to_bytes(4, "big"), b"\0\0"])

    with pytest.raises(Malformed):
        await connection.send_request(_request(), _session_id)


async def test_a_large_request_waits_until_writable() -> None:
    """A full socket buffer is not an error."""
    leader, node = ScriptedLeader(), FollowingNode()
    connection = await _connected(leader, node)
    assert leader.transport is not None
    leader.transport.other.room = 10

    async def serve() -> None:
        await leader.fetch()
        leader.respond_to_fetch(None)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        assert await connection.send_request(_request(), _session_id) == SESSION


async def test_closing_ends_a_wait() -> None:
    """A request that waits for its response ends with an exception."""
    leader, node = ScriptedLeader(), FollowingNode()
    connection = await _connected(leader, node)
    with pytest.RaisesGroup(Disconnected):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.send_request, _request(), _session_id)
            await trio.testing.wait_all_tasks_blocked()
            connection.close()
