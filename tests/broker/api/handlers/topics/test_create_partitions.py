"""CreatePartitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.create_partitions import (
    CreatePartitionsAssignment,
    CreatePartitionsRequest,
    CreatePartitionsTopic,
)
from tests.client import running_node

pytestmark = pytest.mark.anyio


def _request(*topics: tuple[str, int], validate_only: bool = False) -> CreatePartitionsRequest:
    return CreatePartitionsRequest(
        topics=[
            CreatePartitionsTopic(name=name, count=count, assignments=None)
            for name, count in topics
        ],
        timeout_ms=1000,
        validate_only=validate_only,
    )


@pytest.mark.parametrize("version", range(4))
async def test_partitions_are_added_to_a_topic(tmp_path: Path, version: int) -> None:
    """They are served when the response is sent; a smaller number is refused."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()

        grown = await client.send(_request(("t", 3)), version)
        shrunk = await client.send(_request(("t", 2)), version)

        assert grown.results[0].error_code == 0
        assert shrunk.results[0].error_code == ErrorCode.INVALID_PARTITIONS
        assert ("t", 2) in node.node.replicas.partitions


async def test_each_topic_has_its_own_result(tmp_path: Path) -> None:
    """Unknown topics and names that occur twice are refused separately."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.create_topic("twice")
        request = _request(("unknown", 2), ("twice", 2), ("t", 2), ("twice", 3))

        response = await node.client().send(request, 3)

        assert {each.name: each.error_code for each in response.results} == {
            "unknown": ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "t": 0,
            "twice": ErrorCode.INVALID_REQUEST,
        }


async def test_validate_only_adds_nothing(tmp_path: Path) -> None:
    """Errors are the same."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        response = await node.client().send(_request(("t", 3), validate_only=True), 3)

        assert response.results[0].error_code == 0
        assert len(node.controller.image.topics["t"].partitions) == 1


@pytest.mark.parametrize(
    ("assignments", "code", "message"),
    [
        ([[1], [1]], ErrorCode.NONE, None),
        (
            [],
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "Attempted to add 2 additional partition(s), but only 0 assignment(s) were specified.",
        ),
        (
            [[1], [9]],
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes broker 9, but no such broker is registered.",
        ),
    ],
)
async def test_replicas_can_be_assigned_manually(
    tmp_path: Path, assignments: list[list[int]], code: ErrorCode, message: str | None
) -> None:
    """For each new partition; code and message are those of Kafka 4.3.1."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        request = _request(("t", 3))
        request.topics[0].assignments = [
            CreatePartitionsAssignment(broker_ids=ids) for ids in assignments
        ]

        response = await node.client().send(request)

        (result,) = response.results
        assert (result.error_code, result.error_message) == (code, message)
