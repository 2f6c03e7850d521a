"""Authorization of creations and deletions of topics and of new partitions, as in Kafka 4.3.1."""

from __future__ import annotations

from pathlib import Path
from uuid import uuid4

import pytest

from broker.security.resource import Operation
from protocol.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from protocol.messages.create_topics import CreatableTopic, CreateTopicsRequest
from protocol.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
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


def creation(*names: str, timeout_ms: int = 1000) -> CreateTopicsRequest:
    """Creates topics of one partition."""
    topics = [
        CreatableTopic(
            name=name, num_partitions=1, replication_factor=1, assignments=[], configs=[]
        )
        for name in names
    ]
    return CreateTopicsRequest(topics=topics, timeout_ms=timeout_ms)


@pytest.mark.parametrize("version", [2, 7])
async def test_topics_that_the_client_may_create(tmp_path: Path, version: int) -> None:
    """The others are the last ones; neither names nor existence are checked."""
    body = creation("n2", "x", "x", "not/valid", "a", "__cluster_metadata", "n1")

    response = await send(tmp_path, body, version, *on_topic(Operation.CREATE, "n1"))

    assert [(topic.name, topic.error_code) for topic in response.topics] == [
        ("__cluster_metadata", 42),
        ("n1", 0),
        ("x", 42),
        ("n2", 29),
        ("not/valid", 29),
        ("a", 29),
    ]
    assert response.topics[-1].error_message == "Authorization failed."


async def test_a_topic_whose_configs_the_client_may_not_describe(tmp_path: Path) -> None:
    """It is created; its partitions and configs are not in the response."""
    allowed = on_cluster(Operation.CREATE), *on_topic(Operation.DESCRIBE_CONFIGS, "n2")

    response = await send(tmp_path, creation("n1", "n2"), 7, *allowed)

    hidden, described = response.topics
    assert (hidden.error_code, hidden.topic_config_error_code, hidden.configs) == (0, 29, [])
    assert (hidden.num_partitions, hidden.replication_factor) == (-1, -1)
    assert hidden.topic_id != ZERO_UUID
    assert (described.topic_config_error_code, described.num_partitions) == (0, 1)
    assert described.configs


@pytest.mark.parametrize(
    ("names", "errors"), [(("x",), [29]), (("x", "n1"), [7, 7]), (("x", "d", "d"), [42, 29])]
)
async def test_the_timeout_of_a_creation_counts_if_a_topic_may_be_created(
    tmp_path: Path, names: tuple[str, ...], errors: list[int]
) -> None:
    """Kafka's controller is not called without topics."""
    body = creation(*names, timeout_ms=0)

    response = await send(tmp_path, body, 7, *on_topic(Operation.CREATE, "n1"))

    assert [topic.error_code for topic in response.topics] == errors


@pytest.mark.parametrize(
    ("allowed", "name", "error"),
    [
        ([], "a", 29),
        ([], "missing", 29),
        (on_topic(DESCRIBE, "a"), "a", 29),
        (on_topic(DESCRIBE, "missing"), "missing", 3),
        ([*on_topic(DESCRIBE, "a"), *on_topic(DELETE, "a")], "a", 0),
        ([on_cluster(DELETE)], "a", 0),
    ],
)
@pytest.mark.parametrize("version", [1, 5, 6])
async def test_deletion_by_name(
    tmp_path: Path, version: int, allowed: list[Allowed], name: str, error: int
) -> None:
    """A name that the client may not describe is refused, whether it exists."""
    body = DeleteTopicsRequest(timeout_ms=1000)
    if version < 6:
        body.topic_names = [name]
    else:
        body.topics = [DeleteTopicState(name=name)]

    response = await send(tmp_path, body, version, *allowed)

    (result,) = response.responses
    assert (result.name, result.error_code) == (name, error)


@pytest.mark.parametrize(
    ("allowed", "name", "error"),
    [
        ([], None, 29),
        (on_topic(DESCRIBE, "t"), "t", 29),
        ([*on_topic(DESCRIBE, "t"), *on_topic(DELETE, "t")], "t", 0),
    ],
)
async def test_deletion_by_id(
    tmp_path: Path, allowed: list[Allowed], name: str | None, error: int
) -> None:
    """The name is in the response if the client may describe the topic; an unknown id is 100."""
    async with running_node(tmp_path) as node:
        topic_id = node.controller.create_topic("t").topic_id
        install(node.node, FakeAuthorizer(*allowed))
        response = await node.client().send(
            DeleteTopicsRequest(
                topics=[DeleteTopicState(name=None, topic_id=i) for i in (topic_id, UNKNOWN_ID)],
                timeout_ms=1000,
            )
        )
        is_left = "t" in node.controller.image.topics

    unknown, found = sorted(response.responses, key=lambda each: each.topic_id == topic_id)
    assert (found.topic_id, found.name, found.error_code) == (topic_id, name, error)
    assert (unknown.name, unknown.error_code) == (None, 100)
    assert is_left == bool(error)


@pytest.mark.parametrize(
    ("names", "timeout_ms", "expected"),
    [
        (("b", "a", "d", "d", "z"), 1000, [("d", 42), ("b", 29), ("z", 29), ("a", 37)]),
        (("b",), 0, [("b", 29)]),
        (("b", "a"), 0, [("b", 7), ("a", 7)]),
    ],
)
async def test_new_partitions(
    tmp_path: Path, names: tuple[str, ...], timeout_ms: int, expected: list[tuple[str, int]]
) -> None:
    """Topics that the client may not alter come before the others, without a message."""
    topics = [CreatePartitionsTopic(name=name, count=1, assignments=None) for name in names]
    body = CreatePartitionsRequest(topics=topics, timeout_ms=timeout_ms, validate_only=False)

    response = await send(tmp_path, body, 3, *on_topic(Operation.ALTER, "a"))

    assert [(each.name, each.error_code) for each in response.results] == expected
    assert all(each.error_message is None for each in response.results if each.error_code == 29)
