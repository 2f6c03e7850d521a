"""Tests of the two directions of a connection, in memory."""

from __future__ import annotations

import pytest
import trio
from trio.testing import memory_stream_pair

from protocol.codec import Malformed
from protocol.headers import encode_request
from protocol.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from recorder.addresses import Address
from recorder.exchange import Exchange, Record, TopicNames
from recorder.relay import frames, relay
from tests.recorder.test_addresses import frame_of

pytestmark = pytest.mark.anyio

REQUEST = encode_request(HeartbeatRequest(group_id="g", generation_id=1, member_id="m"), 4, 1, "me")
RESPONSE = frame_of(HeartbeatResponse(), 4)[1]


async def test_bytes_pass_both_ways_and_become_a_record() -> None:
    """Bytes pass in both directions, and the client's end closes the node's connection."""
    client, ours = memory_stream_pair()
    theirs, node = memory_stream_pair()
    records: list[Record] = []
    exchange = Exchange(1, lambda: None, TopicNames(), lambda _, upstream: Address(*upstream))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay, ours, theirs, exchange, records.append, lambda: 5)
        for byte in REQUEST:
            await client.send_all(bytes([byte]))
        await trio.testing.wait_all_tasks_blocked()
        assert await node.receive_some() == REQUEST
        await node.send_all(len(RESPONSE).to_bytes(4, "big") + RESPONSE)
        assert await client.receive_some() == len(RESPONSE).to_bytes(4, "big") + RESPONSE
        await client.aclose()
        assert await node.receive_some() == b""

    assert [record["api"] for record in records] == ["Heartbeat"]


@pytest.mark.parametrize(
    ("closed_by", "cause"), [("client", "disconnect"), ("node", "unknown"), ("proxy", "shutdown")]
)
async def test_an_abandoned_request_is_recorded(closed_by: str, cause: str) -> None:
    """An abandoned request gives one record with its cause; a queued request gives none."""
    client, ours = memory_stream_pair()
    theirs, node = memory_stream_pair()
    records: list[Record] = []
    exchange = Exchange(1, lambda: None, TopicNames(), lambda _, upstream: Address(*upstream))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay, ours, theirs, exchange, records.append, lambda: 5)
        await client.send_all(REQUEST + REQUEST)
        await trio.testing.wait_all_tasks_blocked()
        match closed_by:
            case "client":
                await client.aclose()
            case "node":
                await node.aclose()
            case _:
                nursery.cancel_scope.cancel()

    [record] = records
    assert (record["api"], record["completed_by"]) == ("Heartbeat", {"cause": cause})


async def test_a_response_that_the_client_does_not_read_is_recorded() -> None:
    """A response that the client does not read before it closes gives a record."""
    client, ours = memory_stream_pair()
    theirs, node = memory_stream_pair()
    records: list[Record] = []
    exchange = Exchange(1, lambda: None, TopicNames(), lambda _, upstream: Address(*upstream))

    async def gone() -> None:
        raise trio.BrokenResourceError

    ours.send_stream.send_all_hook = gone
    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay, ours, theirs, exchange, records.append, lambda: 5)
        await client.send_all(REQUEST)
        await trio.testing.wait_all_tasks_blocked()
        await node.send_all(len(RESPONSE).to_bytes(4, "big") + RESPONSE)

    assert [record["completed_by"] for record in records] == [{"cause": "unknown"}]


async def test_bytes_that_are_no_frames_close_both_sides() -> None:
    """Bytes that are not frames close both connections."""
    client, ours = memory_stream_pair()
    theirs, node = memory_stream_pair()
    exchange = Exchange(1, lambda: None, TopicNames(), lambda _, upstream: Address(*upstream))
    async with trio.open_nursery() as nursery:
        nursery.start_soon(relay, ours, theirs, exchange, lambda _: None, lambda: 5)
        await client.send_all(b"\xff\xff\xff\xff")
        assert await client.receive_some() == b""
        assert await node.receive_some() == b""


async def test_frames_are_cut_out_of_a_stream() -> None:
    """Several frames in one read are separated; one may be empty, none has a negative length."""
    writer, reader = memory_stream_pair()
    await writer.send_all(b"\0\0\0\4abcd\0\0\0\0\0\0\0\5efghi\xff\xff\xff\xff")
    cut = frames(reader)

    assert [await anext(cut) for _ in range(3)] == [b"abcd", b"", b"efghi"]
    with pytest.raises(Malformed, match="a frame of -1 bytes"):
        await anext(cut)
