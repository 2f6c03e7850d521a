"""Authorization of Produce and Fetch, as in Kafka 4.3.1 with the StandardAuthorizer."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
import trio
import trio.testing

from broker.security.resource import Operation
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.batches import batch
from tests.broker.api.authorization.fake_authorizer import (
    Allowed,
    FakeAuthorizer,
    install,
    on_cluster,
    on_topic,
    on_transactional_id,
)
from tests.client import Client, RunningNode, running_node

pytestmark = pytest.mark.anyio

READ, WRITE = Operation.READ, Operation.WRITE
TRANSACTIONAL = batch(b"x", attributes=16, producer_id=1, producer_epoch=0, base_sequence=0)
UNKNOWN_IDS = {"missing": uuid4(), "zz": uuid4()}


@asynccontextmanager
async def node_with(
    tmp_path: Path, authorizer: FakeAuthorizer
) -> AsyncIterator[tuple[RunningNode, Client, dict[str, UUID]]]:
    """A node with the topics a and b, its client, and the ids of topics."""
    async with running_node(tmp_path) as node:
        ids = {name: node.controller.create_topic(name).topic_id for name in ("a", "b")}
        install(node.node, authorizer)
        yield node, node.client(), ids | UNKNOWN_IDS


def produce_of(
    ids: dict[str, UUID],
    *names: str,
    acks: int = -1,
    records: bytes | None = None,
    transactional_id: str | None = None,
) -> ProduceRequest:
    """A batch for partition 0 of each topic."""
    return ProduceRequest(
        transactional_id=transactional_id,
        acks=acks,
        timeout_ms=1000,
        topic_data=[
            TopicProduceData(
                name=name,
                topic_id=ids[name],
                partition_data=[
                    PartitionProduceData(index=0, records=records or batch(b"x")),
                ],
            )
            for name in names
        ],
    )


def errors(response: Any) -> list[int]:
    """The errors of the partitions of a Produce response."""
    return [each.error_code for topic in response.responses for each in topic.partition_responses]


@pytest.mark.parametrize(
    ("version", "expected"), [(3, [0, 29, 3, 29]), (12, [0, 29, 3, 29]), (13, [0, 29, 100, 100])]
)
async def test_topics_that_the_client_may_not_write(
    tmp_path: Path, version: int, expected: list[int]
) -> None:
    """They come after the others; an unknown id is an error of its own."""
    authorizer = FakeAuthorizer(*on_topic(WRITE, "a", "missing"))
    async with node_with(tmp_path, authorizer) as (node, client, ids):
        body = produce_of(ids, "b", "a", "missing", "zz")
        response = await client.send(body, version)
        written = {str(log.topic_partition.topic): log.log_end_offset for log in node.node.logs}

    assert errors(response) == expected
    refused = response.responses[1].partition_responses[0]
    assert (refused.base_offset, refused.error_message) == (-1, None)
    assert written == {"a": 1, "b": 0}


async def test_each_topic_is_checked_once(tmp_path: Path) -> None:
    """However many partitions of it a request has; a batch may be of a transactional id."""
    authorizer = FakeAuthorizer(everything=True)
    async with node_with(tmp_path, authorizer) as (_, client, ids):
        body = produce_of(ids, *(["a"] * 20), "b", transactional_id="t")
        await client.send(body, 9)

    assert [name for _, _, name in authorizer.asked] == ["a", "b"]


@pytest.mark.parametrize("names", [("a",), ("a", "b")])
async def test_without_acknowledgement_a_refusal_closes_the_connection(
    tmp_path: Path, names: tuple[str, ...]
) -> None:
    """As every other error does."""
    async with node_with(tmp_path, FakeAuthorizer(*on_topic(WRITE, "b"))) as (_, client, ids):
        client.start(produce_of(ids, *names, acks=0), 9)

        assert await client.closed()


@pytest.mark.parametrize(
    ("allowed", "acks", "expected"),
    [
        (on_topic(WRITE, "a", "b"), -1, [53, 53]),
        (on_topic(WRITE, "a", "b"), 7, [53, 53]),
        (on_transactional_id(WRITE, "t"), -1, [29, 29]),
        (on_transactional_id(WRITE, "t"), 7, [29, 29]),
    ],
)
async def test_transactional_batches(
    tmp_path: Path, allowed: list[Allowed], acks: int, expected: list[int]
) -> None:
    """The client must be authorized to write to the transactional id, before all else."""
    async with node_with(tmp_path, FakeAuthorizer(*allowed)) as (_, client, ids):
        body = produce_of(ids, "a", "b", acks=acks, records=TRANSACTIONAL, transactional_id="t")
        response = await client.send(body, 9)

    assert errors(response) == expected


def fetch_of(
    ids: dict[str, UUID],
    *names: str,
    replica_id: int = -1,
    max_wait_ms: int = 0,
    session: tuple[int, int] = (0, -1),
) -> FetchRequest:
    """Partition 0 of each topic, for a consumer or a replica; v15 has its id in the state."""
    return FetchRequest(
        replica_id=replica_id,
        replica_state=ReplicaState(replica_id=replica_id, replica_epoch=-1),
        max_wait_ms=max_wait_ms,
        min_bytes=1,
        max_bytes=1 << 20,
        session_id=session[0],
        session_epoch=session[1],
        topics=[
            FetchTopic(
                topic=name,
                topic_id=ids[name],
                partitions=[
                    FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=1 << 20)
                ],
            )
            for name in names
        ],
    )


def fetched(response: Any, version: int, ids: dict[str, UUID]) -> list[tuple[str, int]]:
    """The topics of a Fetch response and the errors of their partitions."""
    by_id = {topic_id: name for name, topic_id in ids.items()}
    return [
        (topic.topic if version < 13 else by_id[topic.topic_id], topic.partitions[0].error_code)
        for topic in response.responses
    ]


@pytest.mark.parametrize("version", [4, 12, 13, 17])
async def test_topics_that_a_consumer_may_not_read(tmp_path: Path, version: int) -> None:
    """They come after the others, also after unknown ids, which have an error of their own."""
    authorizer = FakeAuthorizer(*on_topic(READ, "a", "missing"))
    async with node_with(tmp_path, authorizer) as (_, client, ids):
        response = await client.send(fetch_of(ids, "b", "a", "missing", "zz"), version)

    if version < 13:
        refused_topics = [("b", 29), ("missing", 3), ("zz", 29)]
    else:
        refused_topics = [("missing", 100), ("zz", 100), ("b", 29)]
    assert fetched(response, version, ids) == [("a", 0), *refused_topics]
    refused = response.responses[1 if version < 13 else 3].partitions[0]
    assert (refused.high_watermark, refused.aborted_transactions) == (-1, [])
    assert refused.records == b""


@pytest.mark.parametrize("version", [4, 12, 13, 17])
async def test_a_client_that_names_a_replica_must_be_a_broker(tmp_path: Path, version: int) -> None:
    """Otherwise each partition is refused, whether it exists."""
    authorizer = FakeAuthorizer(*on_topic(READ, "a"))
    async with node_with(tmp_path, authorizer) as (node, client, ids):
        body = fetch_of(ids, "b", "a", "missing", replica_id=2)
        refused = await client.send(body, version)
        install(node.node, FakeAuthorizer(on_cluster(Operation.CLUSTER_ACTION)))
        accepted = await client.send(body, version)

    assert fetched(refused, version, ids) == [("b", 29), ("a", 29), ("missing", 29)]
    assert 29 not in {error for _, error in fetched(accepted, version, ids)}


async def test_a_refused_partition_waits_with_the_others(tmp_path: Path) -> None:
    """A fetch of refused partitions only does not wait."""
    async with node_with(tmp_path, FakeAuthorizer(*on_topic(READ, "a"))) as (_, client, ids):
        at_once = await client.send(fetch_of(ids, "b", max_wait_ms=60_000), 12)
        client.start(fetch_of(ids, "b", "a", max_wait_ms=500), 12)
        await trio.testing.wait_all_tasks_blocked()
        assert client.nothing_arrived()
        later = await client.receive()

    assert fetched(at_once, 12, ids) == [("b", 29)]
    assert fetched(later, 12, ids) == [("a", 0), ("b", 29)]


async def test_each_fetch_of_a_session_is_authorized(tmp_path: Path) -> None:
    """A parked one is not authorized again."""
    async with node_with(tmp_path, FakeAuthorizer(*on_topic(READ, "a"))) as (node, client, ids):
        first = await client.send(fetch_of(ids, "a", session=(0, 0)), 12)
        session_id = first.session_id
        client.start(fetch_of(ids, max_wait_ms=60_000, session=(session_id, 1)), 12)
        await trio.testing.wait_all_tasks_blocked()
        install(node.node, FakeAuthorizer(*on_topic(WRITE, "a")))
        await node.client().send(produce_of(ids, "a"), 9)
        parked = await client.receive()
        following = await client.send(fetch_of(ids, session=(session_id, 2)), 12)

    assert fetched(parked, 12, ids) == [("a", 0)]
    assert len(parked.responses[0].partitions[0].records) > 0
    assert fetched(following, 12, ids) == [("a", 29)]
