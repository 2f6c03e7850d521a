"""Clients that exceed the quotas of request time and of changes to topics."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.node import Node
from broker.quotas.entity import CONTROLLER_MUTATION_RATE, REQUEST_PERCENTAGE, USER, Quotas
from broker.wait_records.recorder import Recorder
from protocol.errors import ErrorCode
from protocol.messages.api_versions import ApiVersionsRequest
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from tests.batches import batch
from tests.client import RunningCluster, RunningNode, running_cluster, running_node
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio

STEP_NS = 1_000_000
ANYBODY = ((USER, None),)


def limit(node: RunningNode | RunningCluster, quotas: Quotas) -> None:
    """Set quotas of all users."""
    node.controller.client_quotas.alter(ANYBODY, quotas)


def slow(node: Node) -> None:
    """Each step of a request takes a millisecond of the processor."""
    node.client_quotas.request.thread_time_ns = count(0, STEP_NS).__next__


async def test_a_client_above_its_request_percentage_is_muted_after_the_response(
    tmp_path: Path,
) -> None:
    """The response is sent at once, and its throttle time is one window at most."""
    async with running_node(tmp_path) as node:
        slow(node.node)
        limit(node, {REQUEST_PERCENTAGE: 0.001})
        client, started = node.client(), trio.current_time()

        first = await client.send(MetadataRequest(topics=[]))
        responded = trio.current_time()
        await client.send(ApiVersionsRequest(), 2)

        assert first.throttle_time_ms == 1000
        assert responded - started < 0.01
        assert trio.current_time() - started == pytest.approx(1, abs=0.01)


async def test_a_client_below_its_request_percentage_is_not_throttled(tmp_path: Path) -> None:
    """A quota of another user does not apply either."""
    async with running_node(tmp_path) as node:
        slow(node.node)
        limit(node, {REQUEST_PERCENTAGE: 1})
        node.controller.client_quotas.alter(((USER, "alice"),), {REQUEST_PERCENTAGE: 0.001})

        metadata = await node.client().send(MetadataRequest(topics=[]))

        assert metadata.throttle_time_ms == 0


async def test_a_request_of_a_parked_time_has_no_processor_time(tmp_path: Path) -> None:
    """A fetch that waits for five seconds used a millisecond."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        slow(node.node)
        limit(node, {REQUEST_PERCENTAGE: 0.011})

        fetch = fetch_request("t", 0, min_bytes=1, max_wait_ms=5000)
        fetched = await node.client().send(fetch, FETCH_VERSION)

        assert fetched.throttle_time_ms == 0


async def test_a_consumer_above_its_request_percentage_gets_no_records(tmp_path: Path) -> None:
    """As for the quota of its bytes, of which nothing is used."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        await node.client().send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        slow(node.node)
        limit(node, {REQUEST_PERCENTAGE: 0.001, "consumer_byte_rate": 1000})

        fetched = await node.client().send(fetch_request("t", 0), FETCH_VERSION)

        assert (fetched.throttle_time_ms, fetched.responses) == (1000, [])
        manager = node.node.client_quotas.fetch
        assert manager.record("ANONYMOUS", "test", 10_000) is None


async def test_a_producer_has_the_longer_throttle_time(tmp_path: Path) -> None:
    """Of the quotas of bytes and of time."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        slow(node.node)
        limit(node, {REQUEST_PERCENTAGE: 0.001, "producer_byte_rate": 1000})
        produce = produce_request("t", batch(bytes(12_000)))

        produced = await node.client().send(produce, PRODUCE_VERSION)

        assert 2000 < produced.throttle_time_ms < 2300


async def test_a_producer_with_acks_0_has_no_request_time(tmp_path: Path) -> None:
    """Kafka exempts requests without a response."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        slow(node.node)
        limit(node, {REQUEST_PERCENTAGE: 0.011})
        client, started = node.client(), trio.current_time()
        for _ in range(3):
            client.start(produce_request("t", batch(b"a"), acks=0), PRODUCE_VERSION)

        await client.send(MetadataRequest(topics=[]))

        assert trio.current_time() - started < 0.01


async def test_followers_have_no_request_time(tmp_path: Path) -> None:
    """A quota for all users does not delay replication."""
    async with running_cluster(tmp_path) as cluster:
        topic = cluster.controller.create_topic("t", replication_factor=3)
        for node in cluster.cluster.nodes:
            slow(node)
        client, started = cluster.client(topic.partitions[0].leader), trio.current_time()
        limit(cluster, {REQUEST_PERCENTAGE: 0.05})

        for _ in range(3):
            produced = await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
            assert produced.throttle_time_ms == 0

        assert trio.current_time() - started < 0.1


async def test_an_error_response_has_the_throttle_time(tmp_path: Path) -> None:
    """The request used time as well."""
    async with running_node(tmp_path) as node:
        slow(node.node)
        limit(node, {REQUEST_PERCENTAGE: 0.001})
        heartbeat = HeartbeatRequest(group_id="", generation_id=1, member_id="m")

        refused = await node.client().send(heartbeat)

        assert refused.error_code == ErrorCode.INVALID_GROUP_ID
        assert refused.throttle_time_ms == 1000


async def test_the_records_of_a_throttle_name_the_quota(tmp_path: Path) -> None:
    """Of the request that exceeded it, and of the one that was queued meanwhile."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        limit(cluster, {"producer_byte_rate": 1000})
        client = cluster.client(1)
        await client.send(produce_request("t", batch(bytes(12_000))), PRODUCE_VERSION)
        client.start(ApiVersionsRequest(), 2)
        await client.receive()
        await client.send(ApiVersionsRequest(), 2)
        recorder = cluster.cluster.recorder
        assert recorder is not None
        produced, queued, later = [each.to_dict() for each in recorder.recent]

    throttle = produced["throttle"]
    assert (throttle["quota"], throttle["user"]) == ("producer_byte_rate", "<default>")
    assert throttle["rate"] > throttle["limit"] == 1000
    assert (produced["muted_by"], queued["throttle"]) == (None, None)
    assert queued["muted_by"] == throttle
    assert queued["queued_us"] == pytest.approx(throttle["ms"] * 1000, abs=5000)
    assert (later["muted_by"], later["queued_us"]) == (None, 0)


def _topics(*names: str, partitions: int = 10) -> CreateTopicsRequest:
    topics = [
        CreatableTopic(
            name=name, num_partitions=partitions, replication_factor=1, assignments=[], configs=[]
        )
        for name in names
    ]
    return CreateTopicsRequest(topics=topics, timeout_ms=1000)


async def _outcomes(client: Any, request: Any, version: int) -> tuple[list[int], int]:
    """The error codes of the topics, and the throttle time."""
    response = await client.send(request, version)
    items = next(getattr(response, name) for name in _ITEMS if hasattr(response, name))
    return [each.error_code for each in items], response.throttle_time_ms


_ITEMS = ("topics", "responses", "results")
EXCEEDED = ErrorCode.THROTTLING_QUOTA_EXCEEDED


async def test_topics_above_the_mutation_rate_are_refused(tmp_path: Path) -> None:
    """From CreateTopics v6, CreatePartitions v3 and DeleteTopics v5 on; the client is muted."""
    async with running_node(tmp_path) as node:
        limit(node, {CONTROLLER_MUTATION_RATE: 1})
        client = node.client()
        created = await _outcomes(client, _topics("a", "b", "c"), 6)
        grow = CreatePartitionsTopic(name="a", count=11, assignments=None)
        growing = CreatePartitionsRequest(topics=[grow], timeout_ms=1000, validate_only=False)
        deleting = DeleteTopicsRequest(topics=[DeleteTopicState(name="a")], timeout_ms=1000)

        started = trio.current_time()
        others = [
            await _outcomes(node.client(), growing, 3),
            await _outcomes(node.client(), deleting, 6),
        ]
        assert trio.current_time() - started < 0.01
        await client.send(ApiVersionsRequest(), 2)

        assert created == ([0, 0, EXCEEDED], 9000)
        assert [codes for codes, _ in others] == [[EXCEEDED]] * 2
        assert all(8900 < throttle_ms <= 9000 for _, throttle_ms in others)
        assert trio.current_time() - started == pytest.approx(9, abs=0.01)


async def test_older_requests_above_the_mutation_rate_are_processed(tmp_path: Path) -> None:
    """Their clients are throttled."""
    async with running_node(tmp_path) as node:
        limit(node, {CONTROLLER_MUTATION_RATE: 1})

        created = await _outcomes(node.client(), _topics("a", "b", "c"), 5)

        assert created == ([0, 0, 0], 19_000)
        assert len(node.node.image.topics) == 3


async def test_the_mutation_rate_is_that_of_the_cluster(tmp_path: Path) -> None:
    """Requests to all nodes count together."""
    async with running_cluster(tmp_path) as cluster:
        limit(cluster, {CONTROLLER_MUTATION_RATE: 1})
        await _outcomes(cluster.client(1), _topics("a", partitions=15), 6)

        refused, _ = await _outcomes(cluster.client(2), _topics("b"), 6)

        assert refused == [EXCEEDED]


async def test_auto_creation_counts(tmp_path: Path) -> None:
    """A topic above the rate is not created; the request that names it is not throttled for it."""
    async with running_node(tmp_path, num_partitions="15") as node:
        limit(node, {CONTROLLER_MUTATION_RATE: 1})
        client = node.client()
        for name in ("a", "b"):
            topics = [MetadataRequestTopic(name=name)]
            named = MetadataRequest(topics=topics, allow_auto_topic_creation=True)
            response = await client.send(named)
            assert response.throttle_time_ms == 0

        assert list(node.node.image.topics) == ["a"]
