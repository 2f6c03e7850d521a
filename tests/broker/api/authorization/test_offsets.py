"""Authorization of requests about committed offsets, as in Kafka 4.3.1."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from broker.security.resource import Operation
from protocol.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopic,
    OffsetFetchRequestTopics,
)
from protocol.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from tests.broker.api.authorization.fake_authorizer import (
    Allowed,
    FakeAuthorizer,
    install,
    on_group,
    on_topic,
    on_transactional_id,
)
from tests.broker.api.authorization.offsets import commit_of
from tests.client import Client, RunningNode, running_node

pytestmark = pytest.mark.anyio

DESCRIBE, READ, WRITE, DELETE = (
    Operation.DESCRIBE,
    Operation.READ,
    Operation.WRITE,
    Operation.DELETE,
)
TOPICS = ("b", "a", "missing", "zz")


@asynccontextmanager
async def node_with(
    tmp_path: Path, *allowed: Allowed
) -> AsyncIterator[tuple[RunningNode, Client, dict[str, UUID]]]:
    """A node whose group g has offsets of a and b, its client, and the ids of topics."""
    async with running_node(
        tmp_path, offsets_topic_num_partitions="1", transaction_state_log_num_partitions="1"
    ) as node:
        for name in ("a", "b", "__consumer_offsets", "__transaction_state"):
            node.controller.create_topic(name, partitions=1)
        client = node.client()
        await client.send(commit_of("g", "a", "b"), 9)
        ids = {name: topic.topic_id for name, topic in node.controller.image.topics.items()}
        install(node.node, FakeAuthorizer(*allowed))
        yield node, client, {**ids, "missing": uuid4(), "zz": uuid4()}


def errors(topics: Any) -> list[tuple[str, list[int]]]:
    """The errors of the partitions 0 and 9 of each topic; refused partitions come first."""
    return [(topic.name, [each.error_code for each in topic.partitions]) for topic in topics]


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ([], [[30, 30]] * 4),
        (on_topic(READ, "a"), [[30, 30]] * 4),
        (
            [*on_group(READ, "g"), *on_topic(READ, "a", "missing")],
            [[29, 29], [3, 0], [3, 3], [29, 29]],
        ),
        (on_group(READ, "g"), [[29, 29]] * 4),
    ],
)
@pytest.mark.parametrize("version", [2, 9])
async def test_commits(
    tmp_path: Path, version: int, allowed: list[Allowed], expected: list[list[int]]
) -> None:
    """A refused group has an error in each partition, and refused topics have their own."""
    async with node_with(tmp_path, *allowed) as (_, client, _):
        response = await client.send(commit_of("g", *TOPICS), version)

    assert errors(response.topics) == list(zip(TOPICS, expected, strict=True))


async def test_commits_by_id(tmp_path: Path) -> None:
    """An unknown id is an error of its own."""
    allowed = [*on_group(READ, "g"), *on_topic(READ, "a")]
    async with node_with(tmp_path, *allowed) as (_, client, ids):
        response = await client.send(commit_of("g", *TOPICS, ids=ids), 10)

    found = {
        topic.topic_id: [each.error_code for each in topic.partitions] for topic in response.topics
    }
    assert [found[ids[name]] for name in TOPICS] == [[29, 29], [3, 0], [100, 100], [100, 100]]


def fetch_of(version: int, group_id: str, *names: str, ids: dict[str, UUID]) -> OffsetFetchRequest:
    """Fetches the offsets of the partitions 0 of topics, or without names of all topics."""
    if version < 8:
        old = [OffsetFetchRequestTopic(name=name, partition_indexes=[0]) for name in names]
        return OffsetFetchRequest(group_id=group_id, topics=old or None)
    new = [
        OffsetFetchRequestTopics(name=name, topic_id=ids[name], partition_indexes=[0])
        for name in names
    ]
    return OffsetFetchRequest(
        groups=[OffsetFetchRequestGroup(group_id=group_id, topics=new or None)],
        require_stable=True,
    )


def offsets(response: Any, version: int, ids: dict[str, UUID]) -> list[tuple[str, int, int]]:
    """The names, offsets and errors of the topics in a response."""
    by_id = {topic_id: name for name, topic_id in ids.items()}
    topics = response.topics if version < 8 else response.groups[0].topics
    return [
        (
            topic.name if version < 10 else by_id[topic.topic_id],
            topic.partitions[0].committed_offset,
            topic.partitions[0].error_code,
        )
        for topic in topics
    ]


@pytest.mark.parametrize("version", [1, 2, 7, 8, 9, 10])
async def test_named_offsets(tmp_path: Path, version: int) -> None:
    """Topics that the client may not describe come last; an id that is unknown is an error."""
    allowed = [*on_group(DESCRIBE, "g"), *on_topic(DESCRIBE, "a", "missing")]
    async with node_with(tmp_path, *allowed) as (_, client, ids):
        response = await client.send(fetch_of(version, "g", *TOPICS, ids=ids), version)

    by_name = [("a", 5, 0), ("missing", -1, 0), ("b", -1, 29), ("zz", -1, 29)]
    by_id = [("a", 5, 0), ("b", -1, 29), ("missing", -1, 100), ("zz", -1, 100)]
    assert offsets(response, version, ids) == (by_name if version < 10 else by_id)


@pytest.mark.parametrize("version", [2, 7, 8, 10])
async def test_offsets_of_all_topics(tmp_path: Path, version: int) -> None:
    """Topics that the client may not describe are left out."""
    allowed = [*on_group(DESCRIBE, "g"), *on_topic(DESCRIBE, "b")]
    async with node_with(tmp_path, *allowed) as (_, client, ids):
        response = await client.send(fetch_of(version, "g", ids=ids), version)

    assert offsets(response, version, ids) == [("b", 5, 0)]


@pytest.mark.parametrize("version", [1, 2, 7, 8, 10])
async def test_offsets_of_a_group_that_the_client_may_not_describe(
    tmp_path: Path, version: int
) -> None:
    """The error is in each partition, of the response, or of the group."""
    async with node_with(tmp_path, *on_topic(DESCRIBE, "a")) as (_, client, ids):
        response = await client.send(fetch_of(version, "g", "a", ids=ids), version)

    if version < 2:
        assert offsets(response, version, ids) == [("a", -1, 30)]
    else:
        found = response if version < 8 else response.groups[0]
        assert (found.error_code, found.topics) == (30, [])


@pytest.mark.parametrize(
    ("allowed", "error", "expected"),
    [
        (on_topic(READ, "a"), 30, []),
        (on_group(DELETE, "g"), 0, [(name, [29, 29]) for name in TOPICS]),
        (
            [*on_group(DELETE, "g"), *on_topic(READ, "a", "missing")],
            0,
            [("b", [29, 29]), ("a", [3, 0]), ("missing", [3, 3]), ("zz", [29, 29])],
        ),
    ],
)
async def test_deletions(
    tmp_path: Path, allowed: list[Allowed], error: int, expected: list[Any]
) -> None:
    """A refused group is an error of the whole request."""
    body = OffsetDeleteRequest(
        group_id="g",
        topics=[
            OffsetDeleteRequestTopic(
                name=name,
                partitions=[OffsetDeleteRequestPartition(partition_index=i) for i in (0, 9)],
            )
            for name in TOPICS
        ],
    )
    async with node_with(tmp_path, *allowed) as (_, client, _):
        response = await client.send(body)

    assert (response.error_code, errors(response.topics)) == (error, expected)


TXN = on_transactional_id(WRITE, "t")


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ([*on_group(READ, "g"), *on_topic(READ, "a")], [[53, 53]] * 4),
        ([*TXN, *on_topic(READ, "a")], [[30, 30]] * 4),
        ([*TXN, *on_group(READ, "g")], [[29, 29]] * 4),
        (
            [*TXN, *on_group(READ, "g"), *on_topic(READ, "missing")],
            [[29, 29], [29, 29], [3, 3], [29, 29]],
        ),
    ],
)
@pytest.mark.parametrize("version", [0, 5])
async def test_commits_in_a_transaction(
    tmp_path: Path, version: int, allowed: list[Allowed], expected: list[list[int]]
) -> None:
    """The transactional id is checked first, then the group, then each topic."""
    body = TxnOffsetCommitRequest(
        transactional_id="t",
        group_id="g",
        producer_id=1,
        producer_epoch=0,
        topics=[
            TxnOffsetCommitRequestTopic(
                name=name,
                partitions=[
                    TxnOffsetCommitRequestPartition(
                        partition_index=i, committed_offset=1, committed_metadata=""
                    )
                    for i in (0, 9)
                ],
            )
            for name in TOPICS
        ],
    )
    async with node_with(tmp_path, *allowed) as (_, client, _):
        response = await client.send(body, version)

    assert errors(response.topics) == list(zip(TOPICS, expected, strict=True))
