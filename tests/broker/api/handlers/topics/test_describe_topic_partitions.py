"""DescribeTopicPartitions, compared with Kafka 4.3.1."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.describe_topic_partitions import (
    Cursor,
    DescribeTopicPartitionsRequest,
    TopicRequest,
)
from tests.client import RunningNode, running_cluster, running_node

pytestmark = pytest.mark.anyio

Page = tuple[list[tuple[str, list[int]]], tuple[str, int] | None]


async def _page(
    node: RunningNode, names: list[str], limit: int = 2000, cursor: tuple[str, int] | None = None
) -> Page:
    response = await node.client().send(
        DescribeTopicPartitionsRequest(
            topics=[TopicRequest(name=name) for name in names],
            response_partition_limit=limit,
            cursor=cursor and Cursor(topic_name=cursor[0], partition_index=cursor[1]),
        )
    )
    topics = [(t.name, [p.partition_index for p in t.partitions]) for t in response.topics]
    following = response.next_cursor
    return topics, following and (following.topic_name, following.partition_index)


@pytest.mark.parametrize(
    ("names", "limit", "cursor", "page"),
    [
        (["p", "t"], 2000, None, ([("p", [0, 1, 2]), ("t", [0])], None)),
        (["p", "t"], 2, None, ([("p", [0, 1])], ("p", 2))),
        (["p", "t"], 2, ("p", 2), ([("p", [2]), ("t", [0])], None)),
        (["t", "p"], 3, None, ([("p", [0, 1, 2])], ("t", 0))),
        (["p"], 3, None, ([("p", [0, 1, 2])], None)),
        ([], 4, None, ([("a", [0]), ("p", [0, 1, 2])], ("t", 0))),
        ([], 1, ("p", 1), ([("p", [1])], ("p", 2))),
        ([], 2000, ("zzz", 0), ([], None)),
        (["p"], 0, None, ([("p", [0])], ("p", 1))),
        (["p"], 2000, ("p", 9), ([("p", [])], None)),
        (["a", "no", "p"], 1, None, ([("a", [0])], ("no", 0))),
        (["a", "no", "p"], 1, ("no", 0), ([("no", []), ("p", [0])], ("p", 1))),
        (["a", "no", "p"], 3, ("no", 5), ([("no", []), ("p", [0, 1, 2])], None)),
        (["p", "z"], 3, None, ([("p", [0, 1, 2])], ("z", 0))),
    ],
)
async def test_pages(
    tmp_path: Path, names: list[str], limit: int, cursor: tuple[str, int] | None, page: Page
) -> None:
    """By name, as many partitions as requested, and a cursor for the next page."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.create_topic("p", partitions=3)
        node.controller.create_topic("a")

        assert await _page(node, names, limit, cursor) == page


async def test_the_broker_limits_a_page(tmp_path: Path) -> None:
    """max.request.partition.size.limit, however many partitions are requested."""
    async with running_node(tmp_path, max_request_partition_size_limit="2") as node:
        node.controller.create_topic("p", partitions=3)

        assert await _page(node, ["p"]) == ([("p", [0, 1])], ("p", 2))


@pytest.mark.parametrize("cursor", [("q", 0), ("p", -1)])
async def test_an_invalid_cursor(tmp_path: Path, cursor: tuple[str, int]) -> None:
    """INVALID_REQUEST for each topic that is named."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("p")

        response = await node.client().send(
            DescribeTopicPartitionsRequest(
                topics=[TopicRequest(name="z"), TopicRequest(name="p")],
                cursor=Cursor(topic_name=cursor[0], partition_index=cursor[1]),
            )
        )

        assert [(each.name, each.error_code) for each in response.topics] == [
            ("z", ErrorCode.INVALID_REQUEST),
            ("p", ErrorCode.INVALID_REQUEST),
        ]


async def test_unknown_names(tmp_path: Path) -> None:
    """They are sorted with the topics, with their errors."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("p")

        response = await node.client().send(
            DescribeTopicPartitionsRequest(
                topics=[TopicRequest(name=name) for name in ("a b", "aa", "p")]
            )
        )

        assert [(each.name, each.error_code) for each in response.topics] == [
            ("a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
            ("aa", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ("p", 0),
        ]


async def test_an_empty_name_fails_the_request(tmp_path: Path) -> None:
    """UNKNOWN_SERVER_ERROR for each topic, as in Kafka."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("p")

        response = await node.client().send(
            DescribeTopicPartitionsRequest(topics=[TopicRequest(name=name) for name in ("p", "")])
        )

        assert {(each.name, each.error_code) for each in response.topics} == {
            ("p", ErrorCode.UNKNOWN_SERVER_ERROR),
            ("", ErrorCode.UNKNOWN_SERVER_ERROR),
        }


async def test_the_eligible_leader_replicas(tmp_path: Path) -> None:
    """An in-sync set that is too small for acks=all leaves its last members eligible (KIP-966)."""
    async with running_cluster(tmp_path, 2) as cluster:
        cluster.controller.create_topic(
            "t", assignments=[(1, 2)], configs={"min.insync.replicas": "2"}
        )
        await cluster.cluster.stop(2)

        response = await cluster.client(1).send(
            DescribeTopicPartitionsRequest(topics=[TopicRequest(name="t")])
        )

        (partition,) = response.topics[0].partitions
        assert (partition.leader_id, partition.isr_nodes) == (1, [1])
        assert partition.eligible_leader_replicas == [2]
        assert partition.offline_replicas == [2]
