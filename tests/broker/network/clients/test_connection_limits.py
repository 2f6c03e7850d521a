"""Connections that are throttled, idle, or wait for memory, in virtual time."""

from __future__ import annotations

import struct
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from protocol.headers import encode_request
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.metadata import MetadataRequest
from tests.batches import batch
from tests.client import Client, RunningNode, running_cluster, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

ALL_CLIENTS = (("client-id", None),)


def limit(node: RunningNode, key: str, per_second: float) -> None:
    """Set a quota for all clients."""
    node.controller.client_quotas.alter(ALL_CLIENTS, {key: per_second})


def elapsed_ms(since: float) -> float:
    """The virtual time that has passed."""
    return (trio.current_time() - since) * 1000


async def test_a_producer_over_its_quota_has_its_response_and_is_muted(tmp_path: Path) -> None:
    """The response is sent at once and contains the throttle time; the next request waits."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        limit(node, "producer_byte_rate", 1000)
        client, started = node.client(), trio.current_time()
        client.start(produce_request("t", batch(bytes(12_000))), PRODUCE_VERSION)
        client.start(ApiVersionsRequest(), 0)

        produced = await client.receive()
        responded_ms = elapsed_ms(started)
        await client.receive()

        assert 2000 < produced.throttle_time_ms < 2300
        assert produced.responses[0].partition_responses[0].error_code == 0
        assert responded_ms < 5
        assert produced.throttle_time_ms <= elapsed_ms(started) <= produced.throttle_time_ms + 5


async def test_a_request_that_arrives_while_its_client_is_throttled_waits(tmp_path: Path) -> None:
    """It is received, so that a disconnect is noticed, and begins after the throttle time."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        limit(node, "producer_byte_rate", 1000)
        client, started = node.client(), trio.current_time()
        produced = await client.send(produce_request("t", batch(bytes(12_000))), PRODUCE_VERSION)
        await trio.sleep(1)

        await client.send(ApiVersionsRequest(), 0)

        assert elapsed_ms(started) >= produced.throttle_time_ms


async def test_a_producer_with_acks_0_is_throttled(tmp_path: Path) -> None:
    """It has no response, but its next request waits."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        limit(node, "producer_byte_rate", 1000)
        client, started = node.client(), trio.current_time()
        client.start(produce_request("t", batch(bytes(12_000)), acks=0), PRODUCE_VERSION)

        await client.send(ApiVersionsRequest(), 0)

        assert 2000 < elapsed_ms(started) < 2300


async def test_only_clients_with_a_quota_are_throttled(tmp_path: Path) -> None:
    """Nor is a client whose quota was removed."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.client_quotas.alter((("client-id", "slow"),), {"producer_byte_rate": 1000})
        request = produce_request("t", batch(bytes(12_000)))

        async def throttled(client_id: str) -> bool:
            response = await node.client().send(request, PRODUCE_VERSION, client_id)
            return bool(response.throttle_time_ms)

        before = [await throttled("slow"), await throttled("fast")]
        node.controller.client_quotas.alter((("client-id", "slow"),), {"producer_byte_rate": None})

        assert before == [True, False]
        assert not await throttled("slow")


def records_of(fetched: Any) -> int:
    """The size of the fetched records."""
    return sum(len(each.records) for topic in fetched.responses for each in topic.partitions)


async def test_a_consumer_over_its_quota_gets_no_records_until_it_may(tmp_path: Path) -> None:
    """Records that were not sent are not counted, and are sent after the time (KIP-219)."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()
        for _ in range(2):
            await client.send(produce_request("t", batch(bytes(6000))), PRODUCE_VERSION)
        limit(node, "consumer_byte_rate", 1000)
        started, first, second = (
            trio.current_time(),
            *(fetch_request("t", offset, partition_max_bytes=7000) for offset in (0, 1)),
        )

        assert records_of(await client.send(first, FETCH_VERSION)) > 6000
        refused = await client.send(second, FETCH_VERSION)
        while not records_of(await client.send(second, FETCH_VERSION)):
            pass

        assert not refused.responses
        assert 3000 < refused.throttle_time_ms < 3500
        assert 10_000 < elapsed_ms(started) < 13_000


async def test_a_fetch_has_at_most_the_quota_of_all_windows(tmp_path: Path) -> None:
    """A larger response would always exceed the quota."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client, started = node.client(), trio.current_time()
        for _ in range(5):
            await client.send(produce_request("t", batch(bytes(900))), PRODUCE_VERSION)
        limit(node, "consumer_byte_rate", 300)

        while not (size := records_of(await client.send(fetch_request("t", 0), FETCH_VERSION))):
            pass

        assert 900 < size <= 3000
        assert elapsed_ms(started) < 1000


async def test_a_throttled_fetch_does_not_change_its_session(tmp_path: Path) -> None:
    """No session is created, and an existing session is kept."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client, sessions = node.client(), node.node.fetch_sessions
        await client.send(produce_request("t", batch(bytes(2000))), PRODUCE_VERSION)
        begins = fetch_request("t", 0)
        begins.session_epoch = 0
        limit(node, "consumer_byte_rate", 10)
        refused = await client.send(begins, FETCH_VERSION)
        left = len(sessions)
        limit(node, "consumer_byte_rate", 1 << 20)
        session = (await client.send(begins, FETCH_VERSION)).session_id
        goes_on = fetch_request("t")
        goes_on.topics, goes_on.session_id, goes_on.session_epoch = [], session, 1
        limit(node, "consumer_byte_rate", 10)

        again = await client.send(goes_on, FETCH_VERSION)

        assert refused.throttle_time_ms
        assert (refused.session_id, left) == (0, 0)
        assert again.throttle_time_ms
        assert (again.error_code, again.session_id) == (0, session)


async def test_followers_are_not_throttled(tmp_path: Path) -> None:
    """A quota for all clients does not apply to replicas."""
    async with running_cluster(tmp_path) as cluster:
        topic = cluster.controller.create_topic("t", replication_factor=3)
        rates = {"consumer_byte_rate": 1.0}
        cluster.controller.client_quotas.alter((("client-id", None),), rates)
        client = cluster.client(topic.partitions[0].leader)
        started = trio.current_time()

        for _ in range(3):
            await client.send(produce_request("t", batch(bytes(5000))), PRODUCE_VERSION)

        assert elapsed_ms(started) < 100


async def test_a_throttled_connection_that_closes_leaves_no_timer_task(tmp_path: Path) -> None:
    """Its tasks are cancelled."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        tasks = node.node.timer.size
        limit(node, "producer_byte_rate", 1)
        client = node.client()
        await client.send(produce_request("t", batch(bytes(5000))), PRODUCE_VERSION)

        client.close()
        await trio.testing.wait_all_tasks_blocked()

        assert node.node.timer.size == tasks


async def test_an_idle_connection_is_closed(tmp_path: Path) -> None:
    """``connections.max.idle.ms`` after the last request arrived."""
    async with running_node(tmp_path, connections_max_idle_ms="1000") as node:
        client, started = node.client(), trio.current_time()
        await client.send(ApiVersionsRequest(), 0)
        await trio.sleep(0.5)
        await client.send(ApiVersionsRequest(), 0)

        assert await client.closed()
        assert elapsed_ms(started) == pytest.approx(1500, abs=5)


async def test_a_connection_with_a_parked_request_may_be_idle(tmp_path: Path) -> None:
    """It is closed without a response to a fetch that waits for longer, as in Kafka."""
    async with running_node(tmp_path, connections_max_idle_ms="1000") as node:
        node.controller.create_topic("t")
        client, started = node.client(), trio.current_time()

        await client.send(fetch_request("t", 0, max_wait_ms=900), FETCH_VERSION)
        client.start(fetch_request("t", 0, max_wait_ms=5000), FETCH_VERSION)

        assert await client.closed()
        assert elapsed_ms(started) == pytest.approx(1900, abs=5)


async def test_a_negative_time_disables_idle_expiry(tmp_path: Path) -> None:
    """The connection is idle for longer than the default time."""
    async with running_node(tmp_path, connections_max_idle_ms="-1") as node:
        client = node.client()

        await trio.sleep(1200)

        assert (await client.send(ApiVersionsRequest(), 0)).error_code == 0


async def test_no_connection_expires_while_the_clock_stands_still(tmp_path: Path) -> None:
    """Real time has no effect."""
    async with running_node(
        tmp_path,
        connections_max_idle_ms="1",
        connection_failed_authentication_delay_ms="0",
    ) as node:
        client = node.client()
        for _ in range(10):
            await trio.testing.wait_all_tasks_blocked()

        assert (await client.send(ApiVersionsRequest(), 0)).error_code == 0


def _with_little_memory(data_dir: Path, **config: str) -> AbstractAsyncContextManager[RunningNode]:
    """A node with memory for one request."""
    limits = {"socket_request_max_bytes": "1000", "queued_max_request_bytes": "1000"}
    return running_node(data_dir, kept=False, offload=None, **limits, **config)


def begin(client: Client, size: int) -> bytes:
    """Send the beginning of a request of *size* bytes; returns the rest."""
    frame = encode_request(MetadataRequest(topics=None), 1, 1, "x" * (size - 20))
    client.write(frame[:8])
    return frame[8:]


async def test_the_memory_of_incomplete_requests_is_bounded(tmp_path: Path) -> None:
    """Requests that have begun are completed; others are not received before."""
    async with _with_little_memory(tmp_path) as node:
        first, second, third = (node.client() for _ in range(3))
        rest = [begin(client, 700) for client in (first, second)]
        await trio.testing.wait_all_tasks_blocked()

        third.start(ApiVersionsRequest(), 0)
        await trio.testing.wait_all_tasks_blocked()
        assert third.nothing_arrived()
        first.write(rest[0])
        await third.receive()
        second.write(rest[1])

        assert struct.unpack_from(">i", await second.frame()) == (1,)


async def test_a_disconnect_releases_the_memory_of_an_incomplete_request(tmp_path: Path) -> None:
    """Other clients are served when those that sent half requests have disconnected."""
    async with _with_little_memory(tmp_path) as node:
        flood = [node.client() for _ in range(100)]
        for client in flood:
            begin(client, 900)
        await trio.testing.wait_all_tasks_blocked()
        other = node.client()
        other.start(ApiVersionsRequest(), 0)
        await trio.testing.wait_all_tasks_blocked()
        assert other.nothing_arrived()

        for client in flood:
            client.close()

        assert (await other.receive()).error_code == 0


async def test_an_idle_connection_that_holds_memory_is_closed(tmp_path: Path) -> None:
    """It delays others for at most the idle time."""
    async with _with_little_memory(tmp_path, connections_max_idle_ms="1000") as node:
        for _ in range(2):
            begin(node.client(), 900)
        await trio.sleep(0.5)
        other = node.client()
        other.start(ApiVersionsRequest(), 0)
        started = trio.current_time()

        await other.receive()

        assert elapsed_ms(started) == pytest.approx(500, abs=5)
