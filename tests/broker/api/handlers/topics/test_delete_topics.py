"""DeleteTopics."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from broker.api.handlers.topics.delete_topics import delete_topics
from broker.api.request import Request
from broker.steps.queue import finish
from protocol.errors import ErrorCode
from protocol.headers import RequestHeader
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from protocol.schema import ZERO_UUID
from tests.client import running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("version", range(1, 6))
async def test_by_name(tmp_path: Path, version: int) -> None:
    """The topic is removed from the image and the disk; an unknown one is an error."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        request = DeleteTopicsRequest(topic_names=["t", "unknown"], timeout_ms=1000)

        response = await node.client().send(request, version)

        unknown = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
        assert [each.error_code for each in response.responses] == [unknown, 0]
        assert ("t", 0) not in node.node.replicas.partitions
        assert not (tmp_path / "t-0").exists()


async def test_by_id(tmp_path: Path) -> None:
    """From v6 a topic may be named by its id, but not by both (KIP-516)."""
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
            ("other", ErrorCode.INVALID_REQUEST),
            (None, ErrorCode.UNKNOWN_TOPIC_ID),
            ("t", 0),
        ]
        assert list(node.controller.image.topics) == ["other"]


async def test_topics_named_twice_or_not_at_all_are_refused(tmp_path: Path) -> None:
    """A topic named twice is in the response once, and is not deleted."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        states = [DeleteTopicState(name="t"), DeleteTopicState(name="t"), DeleteTopicState()]

        response = await node.client().send(DeleteTopicsRequest(topics=states, timeout_ms=1000), 6)

        assert [(each.name, each.error_code) for each in response.responses] == [
            (None, ErrorCode.INVALID_REQUEST),
            ("t", ErrorCode.INVALID_REQUEST),
        ]
        assert list(node.controller.image.topics) == ["t"]


async def test_a_topic_that_is_named_by_name_and_by_id_is_refused(tmp_path: Path) -> None:
    """It is in the response once, with both."""
    async with running_node(tmp_path) as node:
        topic = node.controller.create_topic("t")
        states = [
            DeleteTopicState(name=None, topic_id=topic.topic_id),
            DeleteTopicState(name="t"),
        ]

        response = await node.client().send(DeleteTopicsRequest(topics=states, timeout_ms=1000), 6)

        (result,) = response.responses
        assert (result.name, result.topic_id) == ("t", topic.topic_id)
        assert result.error_code == ErrorCode.INVALID_REQUEST
        assert result.error_message == (
            "The provided topic name maps to an ID that was already supplied."
        )
        assert list(node.controller.image.topics) == ["t"]


@pytest.mark.parametrize("by_id", [True, False])
async def test_a_topic_that_replaces_the_found_one_is_not_deleted(
    tmp_path: Path, by_id: bool
) -> None:
    """UNKNOWN_TOPIC_ID, as from Kafka's controller, which deletes by id."""
    async with running_node(tmp_path) as node:
        topic_id = node.controller.create_topic("t").topic_id
        state = DeleteTopicState(topic_id=topic_id) if by_id else DeleteTopicState(name="t")
        body = DeleteTopicsRequest(topics=[state], timeout_ms=1000)
        unused: Any = None
        slices = delete_topics(
            Request(RequestHeader(20, 6, 0, None), body, node.node.services, unused, unused, "h")
        )
        next(slices)
        node.controller.delete_topic("t")
        node.controller.create_topic("t")

        (result,) = finish(slices).responses

        assert (result.name, result.topic_id) == ("t", topic_id)
        assert result.error_code == ErrorCode.UNKNOWN_TOPIC_ID
        assert node.controller.topic("t") is not None


@pytest.mark.parametrize("timeout_ms", [0, -1])
async def test_the_timeout_counts_only_if_a_valid_topic_is_left(
    tmp_path: Path, timeout_ms: int
) -> None:
    """Kafka asks the controller about these only."""
    async with running_node(tmp_path) as node:
        invalid = [DeleteTopicState(name="x", topic_id=uuid4()), DeleteTopicState()]
        invalid += [DeleteTopicState(name="t")] * 2
        client = node.client()

        errors = []
        for states in ([], invalid, [*invalid, DeleteTopicState(name="u")]):
            request = DeleteTopicsRequest(topics=states, timeout_ms=timeout_ms)
            response = await client.send(request, 6)
            errors.append({each.error_code for each in response.responses})

        assert errors == [set(), {ErrorCode.INVALID_REQUEST}, {ErrorCode.REQUEST_TIMED_OUT}]


async def test_deletion_can_be_disabled(tmp_path: Path) -> None:
    """With delete.topic.enable=false the request fails, without a message, as in Kafka."""
    async with running_node(tmp_path, delete_topic_enable="false") as node:
        node.controller.create_topic("t")

        response = await node.client().send(
            DeleteTopicsRequest(topic_names=["t"], timeout_ms=1000), 5
        )

        assert response.responses[0].error_code == ErrorCode.TOPIC_DELETION_DISABLED
        assert response.responses[0].error_message is None
        assert node.controller.topic("t") is not None


async def test_invalid_topics_are_refused(tmp_path: Path) -> None:
    """Twice, or without name and id: with Kafka's messages, and nothing is deleted."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        unknown = uuid4()
        states = [
            DeleteTopicState(name=name, topic_id=topic_id)
            for name, topic_id in (
                ("t", ZERO_UUID),
                ("t", ZERO_UUID),
                (None, unknown),
                (None, unknown),
                (None, ZERO_UUID),
            )
        ]

        response = await node.client().send(DeleteTopicsRequest(topics=states, timeout_ms=1000), 6)

        assert [(each.error_code, each.error_message) for each in response.responses] == [
            (ErrorCode.INVALID_REQUEST, "Neither topic name nor id were specified."),
            (ErrorCode.INVALID_REQUEST, "Duplicate topic name."),
            (ErrorCode.INVALID_REQUEST, "Duplicate topic id."),
        ]
        assert list(node.controller.image.topics) == ["t"]
