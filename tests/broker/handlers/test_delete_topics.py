"""DeleteTopics."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from protocol.errors import ErrorCode
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(1, 6))
async def test_by_name(tmp_path: Path, version: int) -> None:
    """The topic is gone, from the image and from the disk; one that is unknown is an error."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        request = DeleteTopicsRequest(topic_names=["t", "unknown"], timeout_ms=1000)

        response = await node.client().send(request, version)

        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert [each.error_code for each in response.responses] == [0, unknown]
        assert ("t", 0) not in node.node.replicas.partitions
        assert not (tmp_path / "t-0").exists()


async def test_by_id(tmp_path: Path) -> None:
    """From v6 a topic may be named by its id; by both it is not (KIP-516)."""
    async with running_node(tmp_path) as node:
        topic = node.controller.create_topic("t")
        other = node.controller.create_topic("other")
        states = [
            DeleteTopicState(name=None, topic_id=topic.topic_id),
            DeleteTopicState(name=None, topic_id=uuid4()),
            DeleteTopicState(name="other", topic_id=other.topic_id),
        ]

        response = await node.client().send(DeleteTopicsRequest(topics=states, timeout_ms=1000), 6)

        assert [(each.name, each.error_code) for each in response.responses] == [
            ("t", 0),
            (None, ErrorCode.UNKNOWN_TOPIC_ID),
            ("other", ErrorCode.INVALID_REQUEST),
        ]
        assert list(node.controller.image.topics) == ["other"]


async def test_deletion_can_be_off(tmp_path: Path) -> None:
    """delete.topic.enable=false keeps every topic."""
    async with running_node(tmp_path, delete_topic_enable="false") as node:
        node.controller.create_topic("t")

        response = await node.client().send(
            DeleteTopicsRequest(topic_names=["t"], timeout_ms=1000), 5
        )

        assert response.responses[0].error_code == ErrorCode.TOPIC_DELETION_DISABLED
        assert node.controller.topic("t") is not None
