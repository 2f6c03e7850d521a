"""The life of a connection, byte for byte, without a network."""

from __future__ import annotations

import struct
from itertools import groupby
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.topic_partition import TopicPartition
from broker.network.connection import Connection
from broker.wait_records.recorder import Recorder
from protocol.framing import Scratch
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from purgatories.timer.system_timer import SystemTimer
from tests.batches import batch
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster, running_node
from tests.memory_transport import memory_transport_pair
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio


async def test_pipelined_requests_are_answered_in_order(tmp_path: Path) -> None:
    """Requests that arrive together are answered one after the other, each with its own id."""
    async with running_node(tmp_path) as node:
        client = node.client()
        for version in range(4):
            client.start(ApiVersionsRequest(), version)

        ids = [struct.unpack_from(">i", await client.frame())[0] for _ in range(4)]

        assert ids == [1, 2, 3, 4]


async def test_a_request_waits_behind_a_parked_fetch(tmp_path: Path) -> None:
    """Kafka mutes a connection while a request is in progress: what follows is not even started."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        started = trio.current_time()
        client.start(fetch_request("t", 0, max_wait_ms=500), FETCH_VERSION)
        client.start(produce_request("t", batch(b"x")), PRODUCE_VERSION)

        fetched = await client.receive()
        waited_ms = (trio.current_time() - started) * 1000
        produced = await client.receive()

        assert not fetched.responses[0].partitions[0].records
        assert 500 <= waited_ms < 510
        assert produced.responses[0].partition_responses[0].base_offset == 0


async def test_a_client_that_leaves_abandons_its_parked_fetch(tmp_path: Path) -> None:
    """Nothing of a parked request stays when its client has gone away."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        purgatory = node.node.replication.purgatories.fetch
        client = node.client()
        client.start(fetch_request("t", 0, max_wait_ms=60_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        assert purgatory.num_delayed() == 1

        client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert purgatory.num_delayed() == 0


async def test_a_client_that_leaves_is_noticed_behind_pipelined_requests(tmp_path: Path) -> None:
    """Frames that wait behind a parked request do not hide the end of the connection."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        client.start(fetch_request("t", 0, max_wait_ms=60_000), FETCH_VERSION)
        client.start(MetadataRequest(topics=None))
        await trio.testing.wait_all_tasks_blocked()

        client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert node.node.replication.purgatories.fetch.num_delayed() == 0


async def test_acks_0_has_no_answer_but_lets_the_next_request_go_on(tmp_path: Path) -> None:
    """The first thing to arrive after a produce with acks=0 is the answer to the next request."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        client.start(produce_request("t", batch(b"x"), acks=0), PRODUCE_VERSION)
        client.start(ApiVersionsRequest(), 0)

        (correlation_id,) = struct.unpack_from(">i", await client.frame())

        assert correlation_id == 2
        assert node.node.replicas.partitions[TopicPartition("t", 0)].log.log_end_offset == 1


@pytest.mark.parametrize(
    "data",
    [
        struct.pack(">i", -1),
        struct.pack(">i", 2**31 - 1),
        struct.pack(">i", 3) + b"abc",
        struct.pack(">ihhih", 10, 3, 0, 1, 9),
        b"GET / HTTP/1.1\r\n\r\n",
    ],
    ids=["negative length", "2 GB", "no header", "client id cut short", "http"],
)
async def test_bytes_that_make_no_sense_close_the_connection(tmp_path: Path, data: bytes) -> None:
    """What is no request ends the connection, and only that connection."""
    async with running_node(tmp_path) as node:
        client, other = node.client(), node.client()

        client.write(data)

        assert await client.closed()
        assert (await other.send(ApiVersionsRequest(), 0)).error_code == 0


async def test_half_a_frame_waits_for_the_other_half(tmp_path: Path) -> None:
    """A frame that comes byte by byte is a frame."""
    async with running_node(tmp_path) as node:
        client = node.client()
        whole = struct.pack(">ihhih", 10, 18, 0, 7, -1)
        for byte in whole:
            client.write(bytes([byte]))
            await trio.testing.wait_all_tasks_blocked()

        assert struct.unpack_from(">i", await client.frame()) == (7,)


async def test_an_answer_larger_than_the_socket_goes_out_in_pieces(tmp_path: Path) -> None:
    """A slow reader gets all of a large answer, and only then is its next request started."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await node.client().send(produce_request("t", batch(bytes(500_000))), PRODUCE_VERSION)
        slow = node.client(room=4096)
        slow.start(fetch_request("t", 0), FETCH_VERSION)
        slow.start(ApiVersionsRequest(), 0)

        fetched = await slow.receive()
        after = await slow.receive()

        assert len(fetched.responses[0].partitions[0].records) > 500_000
        assert after.api_keys


async def test_a_client_that_sends_no_more_still_reads_its_responses(tmp_path: Path) -> None:
    """All that it has asked for; then the connection is closed."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await node.client().send(produce_request("t", batch(bytes(500_000))), PRODUCE_VERSION)
        half_closed = node.client(room=4096)
        half_closed.start(fetch_request("t", 0), FETCH_VERSION)
        half_closed.start(ApiVersionsRequest(), 0)
        half_closed.transport.end()
        await trio.testing.wait_all_tasks_blocked()

        fetched = await half_closed.receive()
        after = await half_closed.receive()

        assert len(fetched.responses[0].partitions[0].records) > 500_000
        assert after.api_keys
        assert await half_closed.closed()


@pytest.mark.parametrize(("step_ms", "in_turn"), [(0.0, 40), (0.5, 4), (10.0, 1)])
async def test_pipelined_requests_of_several_clients_take_turns(
    step_ms: float, in_turn: int
) -> None:
    """A connection goes on for a slice of time; then those that are ready have their turn."""
    now_ms, served = 0.0, list[int]()

    def dispatch(connection: Connection, _frame: memoryview, _arrived_ms: float) -> None:
        nonlocal now_ms
        now_ms += step_ms
        served.append(connection.id)

    async with trio.open_nursery() as nursery:
        scratch, timer = Scratch(), SystemTimer("test", now_ms=lambda: now_ms)
        for _ in range(3):
            ours, theirs = memory_transport_pair()
            ours.send([struct.pack(">ih", 2, 0)] * 40)
            ours.end()
            connection = Connection(
                theirs,
                dispatch,
                nursery,
                request_bytes_max=100,
                scratch=scratch,
                timer=timer,
                idle_ms=-1,
            )
            nursery.start_soon(connection.run)

    turns = [len(list(frames)) for _, frames in groupby(served)]
    assert len(served) == 120
    assert max(turns) <= 2 * in_turn  # the same connection may be first in the next round
    assert turns.count(in_turn) >= len(turns) / 2


async def test_an_answer_that_was_never_taken_has_a_record(tmp_path: Path) -> None:
    """The client does not read, and the broker stops."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        client = cluster.client(1, room=100)
        client.start(ApiVersionsRequest(), 0)
        await trio.testing.wait_all_tasks_blocked()
        assert kept_of(cluster, "ApiVersions") == []
        await cluster.cluster.stop(1)

        [told] = kept_of(cluster, "ApiVersions")
        assert told["completed_by"] == {"cause": "arrival"}
