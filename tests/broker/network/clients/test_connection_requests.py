"""Requests and responses of a connection to a node, in memory and in virtual time."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.topic_partition import TopicPartition
from broker.wait_records.recorder import Recorder
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from tests.batches import batch
from tests.broker.wait_records.records import kept_of
from tests.client import running_cluster, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio


async def test_pipelined_requests_are_responded_to_in_order(tmp_path: Path) -> None:
    """Each response has the correlation id of its request."""
    async with running_node(tmp_path) as node:
        client = node.client()
        for version in range(4):
            client.start(ApiVersionsRequest(), version)

        ids = [struct.unpack_from(">i", await client.frame())[0] for _ in range(4)]

        assert ids == [1, 2, 3, 4]


async def test_a_request_waits_behind_a_parked_fetch(tmp_path: Path) -> None:
    """Kafka mutes a channel while a request is in progress: the next one is not started."""
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


async def test_a_disconnect_abandons_the_parked_fetch(tmp_path: Path) -> None:
    """Its operation leaves the purgatory."""
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


async def test_a_disconnect_is_noticed_behind_pipelined_requests(tmp_path: Path) -> None:
    """Frames that wait after a parked request do not delay it."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        client.start(fetch_request("t", 0, max_wait_ms=60_000), FETCH_VERSION)
        client.start(MetadataRequest(topics=None))
        await trio.testing.wait_all_tasks_blocked()

        client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert node.node.replication.purgatories.fetch.num_delayed() == 0


async def test_a_produce_with_acks_0_has_no_response(tmp_path: Path) -> None:
    """The first response is that of the next request."""
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
async def test_malformed_bytes_close_the_connection(tmp_path: Path, data: bytes) -> None:
    """Other connections stay open."""
    async with running_node(tmp_path) as node:
        client, other = node.client(), node.client()

        client.write(data)

        assert await client.closed()
        assert (await other.send(ApiVersionsRequest(), 0)).error_code == 0


async def test_a_frame_may_arrive_byte_by_byte(tmp_path: Path) -> None:
    """It is dispatched when it is complete."""
    async with running_node(tmp_path) as node:
        client = node.client()
        whole = struct.pack(">ihhih", 10, 18, 0, 7, -1)
        for byte in whole:
            client.write(bytes([byte]))
            await trio.testing.wait_all_tasks_blocked()

        assert struct.unpack_from(">i", await client.frame()) == (7,)


async def test_a_response_larger_than_the_socket_buffer_is_sent_in_pieces(tmp_path: Path) -> None:
    """The next request starts after the last piece."""
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


async def test_a_half_closed_connection_sends_its_responses(tmp_path: Path) -> None:
    """Then it is closed."""
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


async def test_a_response_that_was_not_sent_has_a_wait_record(tmp_path: Path) -> None:
    """The client does not read, and the node stops."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        client = cluster.client(1, room=100)
        client.start(ApiVersionsRequest(), 0)
        await trio.testing.wait_all_tasks_blocked()
        assert kept_of(cluster, "ApiVersions") == []
        await cluster.cluster.stop(1)

        [record] = kept_of(cluster, "ApiVersions")
        assert record["completed_by"] == {"cause": "arrival"}
