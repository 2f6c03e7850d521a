"""Authorization of requests about topics, as a Kafka 4.3.1 with the StandardAuthorizer responds."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from broker.security.resource import Operation
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.describe_cluster import DescribeClusterRequest
from protocol.messages.describe_producers import DescribeProducersRequest
from protocol.messages.describe_producers import TopicRequest as ProducersOf
from protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from protocol.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from protocol.messages.metadata import MetadataRequest, MetadataRequestTopic
from protocol.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from protocol.schema import ZERO_UUID
from tests.broker.api.authorization.fake_authorizer import (
    Allowed,
    FakeAuthorizer,
    install,
    on_cluster,
    on_topic,
    send,
)
from tests.client import running_node

pytestmark = pytest.mark.anyio

DELETE, DESCRIBE = Operation.DELETE, Operation.DESCRIBE
UNKNOWN_ID = uuid4()


def named(*names: str, creation: bool = False) -> MetadataRequest:
    """A Metadata request that names topics."""
    return MetadataRequest(
        topics=[MetadataRequestTopic(name=name) for name in names],
        allow_auto_topic_creation=creation,
        include_topic_authorized_operations=True,
    )


@pytest.mark.parametrize("version", [8, 10, 13])
async def test_metadata_of_topics_that_are_named(tmp_path: Path, version: int) -> None:
    """Topics that the client may not describe come last, without an id, whether they exist."""
    response = await send(
        tmp_path,
        named("b", "zz", "__consumer_offsets", "a", "c", "missing"),
        version,
        *on_topic(DESCRIBE, "a", "c", "missing"),
        *on_topic(Operation.READ, "a"),
    )

    facts = [
        (topic.name, topic.error_code, topic.topic_authorized_operations, topic.is_internal)
        for topic in response.topics
    ]
    assert facts == [
        ("a", 0, 1 << 8 | 1 << 3, False),
        ("c", 0, 1 << 8, False),
        ("missing", 3, 1 << 8, False),
        ("b", 29, -(2**31), False),
        ("zz", 29, -(2**31), False),
        ("__consumer_offsets", 29, -(2**31), False),
    ]
    assert all(topic.topic_id == ZERO_UUID for topic in response.topics[3:])
    assert not any(topic.partitions for topic in response.topics[2:])
    assert len(response.brokers) == 1


@pytest.mark.parametrize(("version", "topics"), [(0, []), (1, None), (13, None)])
async def test_metadata_of_all_topics(tmp_path: Path, version: int, topics: list[Any]) -> None:
    """Topics that the client may not describe are left out."""
    request = MetadataRequest(topics=topics)

    response = await send(tmp_path, request, version, *on_topic(DESCRIBE, "b"))

    assert [topic.name for topic in response.topics] == ["b"]


async def test_metadata_by_id(tmp_path: Path) -> None:
    """Whether an id exists is no secret; the name of a topic is."""
    async with running_node(tmp_path) as node:
        ids = {name: node.controller.create_topic(name).topic_id for name in ("a", "b")}
        install(node.node, FakeAuthorizer(*on_topic(DESCRIBE, "a")))
        requested = [
            MetadataRequestTopic(name=None, topic_id=each)
            for each in (ids["b"], UNKNOWN_ID, ids["a"])
        ]
        response = await node.client().send(MetadataRequest(topics=requested))

    assert [(topic.topic_id, topic.name, topic.error_code) for topic in response.topics] == [
        (UNKNOWN_ID, None, 100),
        (ids["a"], "a", 0),
        (ids["b"], None, 29),
    ]


@pytest.mark.parametrize(
    ("allowed", "name", "error", "is_created"),
    [
        (on_topic(DESCRIBE, "new"), "new", 29, False),
        (on_topic(Operation.CREATE, "new"), "new", 29, False),
        (
            [*on_topic(DESCRIBE, "new"), *on_topic(Operation.CREATE, "new")],
            "new",
            3,
            True,
        ),
        ([*on_topic(DESCRIBE, "new"), on_cluster(Operation.CREATE)], "new", 3, True),
        (on_topic(DESCRIBE, "not/valid"), "not/valid", 29, False),
    ],
)
async def test_a_topic_is_created_if_the_client_may_describe_and_create_it(
    tmp_path: Path, allowed: list[Allowed], name: str, error: int, is_created: bool
) -> None:
    """The name is checked after the authorization."""
    async with running_node(tmp_path) as node:
        install(node.node, FakeAuthorizer(*allowed))
        response = await node.client().send(named(name, creation=True))

        assert [topic.error_code for topic in response.topics] == [error]
        assert (name in node.controller.image.topics) == is_created


@pytest.mark.parametrize(
    ("allowed", "bits"),
    [
        ([], 0),
        ([on_cluster(Operation.ALTER)], 0),
        ([on_cluster(DESCRIBE), on_cluster(Operation.ALTER)], 1 << 8 | 1 << 7),
    ],
)
@pytest.mark.parametrize(
    ("body", "version"),
    [
        (MetadataRequest(topics=[], include_cluster_authorized_operations=True), 9),
        (DescribeClusterRequest(include_cluster_authorized_operations=True), 1),
    ],
)
async def test_operations_on_the_cluster(
    tmp_path: Path, body: Any, version: int, allowed: list[Allowed], bits: int
) -> None:
    """0 if the client may not describe the cluster; the brokers are in the response anyway."""
    response = await send(tmp_path, body, version, *allowed)

    assert response.cluster_authorized_operations == bits
    assert len(response.brokers) == 1


def page(*names: str, cursor: str | None = None, limit: int = 9) -> DescribeTopicPartitionsRequest:
    """A request for one page."""
    return DescribeTopicPartitionsRequest(
        topics=[TopicRequest(name=name) for name in names],
        response_partition_limit=limit,
        cursor=None if cursor is None else Cursor(topic_name=cursor, partition_index=0),
    )


@pytest.mark.parametrize(
    ("body", "expected", "following"),
    [
        (page(), [("a", 0, 256), ("c", 0, 256)], None),
        (
            page("c", "b", "a", "z"),
            [("a", 0, 256), ("c", 0, 256), ("b", 29, -1), ("z", 29, -1)],
            None,
        ),
        (page("c", "b", "a", limit=1), [("a", 0, 256), ("b", 29, -1)], "c"),
        (page("c", "b", "a", cursor="c"), [("c", 0, 256)], None),
        (page("b", cursor="b"), [("b", 29, -1)], None),
    ],
)
async def test_pages_of_partitions(
    tmp_path: Path, body: Any, expected: list[tuple[str, int, int]], following: str | None
) -> None:
    """Named topics that the client may not describe end each page, and do not count."""
    response = await send(tmp_path, body, None, *on_topic(DESCRIBE, "a", "c"))

    assert [
        (topic.name, topic.error_code, max(topic.topic_authorized_operations, -1))
        for topic in response.topics
    ] == expected
    assert (response.next_cursor and response.next_cursor.topic_name) == following


async def test_deletion_of_records(tmp_path: Path) -> None:
    """A topic that the client may not delete keeps its records, and has no low watermark."""
    topics = [
        DeleteRecordsTopic(
            name=name, partitions=[DeleteRecordsPartition(partition_index=0, offset=-1)]
        )
        for name in ("b", "a", "missing")
    ]
    body = DeleteRecordsRequest(topics=topics, timeout_ms=1000)

    response = await send(tmp_path, body, 2, *on_topic(DELETE, "a"))

    facts = {
        topic.name: (topic.partitions[0].error_code, topic.partitions[0].low_watermark)
        for topic in response.topics
    }
    assert facts == {"a": (0, 0), "b": (29, -1), "missing": (29, -1)}


@pytest.mark.parametrize("version", [1, 11])
async def test_offsets(tmp_path: Path, version: int) -> None:
    """Topics that the client may not describe come last, as they are in the request."""
    topics = [
        ListOffsetsTopic(
            name=name,
            partitions=[ListOffsetsPartition(partition_index=i, timestamp=-1) for i in indexes],
        )
        for name, indexes in (("b", (0, 0, 5)), ("a", (0,)), ("zz", (0,)), ("b", (1,)))
    ]
    body = ListOffsetsRequest(replica_id=-1, topics=topics)

    response = await send(tmp_path, body, version, *on_topic(DESCRIBE, "a"))

    assert [
        (topic.name, [(p.partition_index, p.error_code, p.offset) for p in topic.partitions])
        for topic in response.topics
    ] == [
        ("a", [(0, 0, 0)]),
        ("b", [(0, 29, -1), (0, 29, -1), (5, 29, -1)]),
        ("zz", [(0, 29, -1)]),
        ("b", [(1, 29, -1)]),
    ]


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [([], [29, 29]), (on_topic(DESCRIBE, "a"), [-1, -1])],
)
async def test_permissions_before_the_isolation_level_of_offsets(
    tmp_path: Path, allowed: list[Allowed], expected: list[int]
) -> None:
    """An unknown level fails the request if the client may describe one of its topics."""
    partition = ListOffsetsPartition(partition_index=0, timestamp=-1)
    topics = [ListOffsetsTopic(name=name, partitions=[partition]) for name in ("a", "b")]
    body = ListOffsetsRequest(replica_id=-1, isolation_level=2, topics=topics)

    response = await send(tmp_path, body, 11, *allowed)

    assert [topic.partitions[0].error_code for topic in response.topics] == expected


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        (on_topic(DESCRIBE, "a"), [("a", 0, 0), ("b", 29, -1), ("zz", 29, -1)]),
        ([on_cluster(Operation.CLUSTER_ACTION)], [("b", 0, 0), ("a", 0, 0), ("zz", 3, -1)]),
    ],
)
async def test_ends_of_epochs(
    tmp_path: Path, allowed: list[Allowed], expected: list[tuple[str, int, int]]
) -> None:
    """Brokers may ask for all topics, other clients for those that they may describe."""
    body = OffsetForLeaderEpochRequest(
        topics=[
            OffsetForLeaderTopic(
                topic=name, partitions=[OffsetForLeaderPartition(partition=0, leader_epoch=0)]
            )
            for name in ("b", "a", "zz")
        ]
    )

    response = await send(tmp_path, body, 4, *allowed)

    facts = [
        (t.topic, t.partitions[0].error_code, t.partitions[0].end_offset) for t in response.topics
    ]
    assert facts == expected


async def test_producers(tmp_path: Path) -> None:
    """The name is checked first; each partition has the message."""
    names = ("b", "a", "not/valid", "zz")
    body = DescribeProducersRequest(
        topics=[ProducersOf(name=name, partition_indexes=[0, 1]) for name in names]
    )

    response = await send(tmp_path, body, 0, *on_topic(Operation.READ, "a"))

    facts = {topic.name: [p.error_code for p in topic.partitions] for topic in response.topics}
    assert facts == {"b": [29, 29], "a": [0, 3], "not/valid": [17, 17], "zz": [29, 29]}
    assert response.topics[0].partitions[0].error_message == "Topic authorization failed."
