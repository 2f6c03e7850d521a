"""CreateTopics."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.topic_partition import TopicPartition
from protocol.errors import ErrorCode
from protocol.messages.create_topics import (
    CreatableReplicaAssignment,
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from tests.client import running_cluster, running_node

pytestmark = pytest.mark.anyio


def _topic(
    name: str,
    partitions: int = 1,
    *,
    configs: dict[str, str | None] | None = None,
    assignments: dict[int, list[int]] | Sequence[tuple[int, list[int]]] = (),
) -> CreatableTopic:
    replicas = assignments.items() if isinstance(assignments, dict) else assignments
    return CreatableTopic(
        name=name,
        num_partitions=-1 if assignments else partitions,
        replication_factor=-1,
        assignments=[
            CreatableReplicaAssignment(partition_index=index, broker_ids=brokers)
            for index, brokers in replicas
        ],
        configs=[
            CreatableTopicConfig(name=key, value=value) for key, value in (configs or {}).items()
        ],
    )


def _with(added: dict[str, str], present: dict[str, str]) -> dict[str, str]:
    return {**present, **added}


def _request(*topics: CreatableTopic, validate_only: bool = False) -> CreateTopicsRequest:
    return CreateTopicsRequest(topics=list(topics), timeout_ms=1000, validate_only=validate_only)


@pytest.mark.parametrize("version", range(2, 8))
async def test_topics_are_served_when_the_response_is_sent(tmp_path: Path, version: int) -> None:
    """Clients need not wait for a leader after the creation."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(_topic("a", 2), _topic("b")), version)

        assert [(each.name, each.error_code) for each in response.topics] == [("a", 0), ("b", 0)]
        assert node.node.replicas.partitions[TopicPartition("a", 1)].is_leader


async def test_the_response_describes_the_topic(tmp_path: Path) -> None:
    """Its id, its partitions, and its configs with their sources (KIP-525), sorted by name."""
    async with running_node(tmp_path) as node:
        requested = _topic("t", 3, configs={"segment.bytes": "2000000"})

        (topic,) = (await node.client().send(_request(requested), 7)).topics

        assert topic.topic_id == node.controller.image.topics["t"].topic_id
        assert (topic.num_partitions, topic.replication_factor) == (3, 1)
        configs = {each.name: (each.value, each.config_source) for each in topic.configs}
        assert list(configs) == sorted(configs)
        assert configs["segment.bytes"] == ("2000000", 1)
        assert configs["max.message.bytes"] == ("1048588", 5)


async def test_the_configs_are_those_of_the_controllers_node(tmp_path: Path) -> None:
    """The dynamic settings of the node that gets the request have no effect, as in Kafka."""
    async with running_cluster(tmp_path, 2) as cluster:
        for name in ("1", "2"):
            changed = partial(_with, {"message.max.bytes": name * 4})
            cluster.controller.alter_broker_configs(name, changed)
        await trio.testing.wait_all_tasks_blocked()

        (topic,) = (await cluster.client(2).send(_request(_topic("t")), 7)).topics

        configs = {each.name: (each.value, each.config_source) for each in topic.configs}
        assert configs["max.message.bytes"] == ("1111", 2)


async def test_each_topic_has_its_own_result(tmp_path: Path) -> None:
    """A refused topic does not affect the others; a name that occurs twice is not created."""
    async with running_node(tmp_path) as node:
        request = _request(_topic("a b"), _topic("twice"), _topic("good"), _topic("twice"))

        response = await node.client().send(request, 7)

        assert {each.name: each.error_code for each in response.topics} == {
            "a b": ErrorCode.INVALID_TOPIC_EXCEPTION,
            "good": 0,
            "twice": ErrorCode.INVALID_REQUEST,
        }
        assert list(node.controller.image.topics) == ["good"]


@pytest.mark.parametrize(
    ("topic", "error"),
    [
        (_topic("t", configs={"segment.bytes": None}), ErrorCode.INVALID_CONFIG),
        (_topic("t", configs={"nonsense": "1"}), ErrorCode.INVALID_CONFIG),
        (_topic("t", assignments={1: [1]}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
        (_topic("t", assignments={0: [9]}), ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
async def test_invalid_topics_are_refused(
    tmp_path: Path, topic: CreatableTopic, error: ErrorCode
) -> None:
    """Configs and assignments are checked before a topic is created."""
    async with running_node(tmp_path) as node:
        (result,) = (await node.client().send(_request(topic), 7)).topics

        assert result.error_code == error
        assert result.error_message
        assert node.controller.topic("t") is None


@pytest.mark.parametrize(
    ("topic", "code", "message"),
    [
        (
            _topic("t", configs={"segment.bytes": None}),
            ErrorCode.TOPIC_ALREADY_EXISTS,
            "Topic 't' already exists.",
        ),
        (
            _topic("new", 0, configs={"nope": "1", "segment.bytes": None, "retention.ms": None}),
            ErrorCode.INVALID_CONFIG,
            "Null value not supported for topic configs: segment.bytes,retention.ms",
        ),
    ],
)
async def test_null_configs_are_refused_after_the_name(
    tmp_path: Path, topic: CreatableTopic, code: ErrorCode, message: str
) -> None:
    """And before other configs and the number of partitions, as Kafka 4.3.1 does."""
    async with running_node(tmp_path) as node:
        client = node.client()
        await client.send(_request(_topic("t")), 7)
        [result] = (await client.send(_request(topic), 7)).topics

        assert (result.error_code, result.error_message) == (code, message)


async def test_each_null_config_is_named(tmp_path: Path) -> None:
    """Also one that has a value later in the request."""
    async with running_node(tmp_path) as node:
        topic = _topic("t", configs={"retention.ms": None})
        topic.configs += [*topic.configs, CreatableTopicConfig(name="retention.ms", value="1")]
        [result] = (await node.client().send(_request(topic), 7)).topics

        assert result.error_message == (
            "Null value not supported for topic configs: retention.ms,retention.ms"
        )


async def test_replicas_can_be_assigned_manually(tmp_path: Path) -> None:
    """The number of partitions is that of the assignments."""
    async with running_node(tmp_path) as node:
        requested = _topic("t", assignments={0: [1], 1: [1]})

        (result,) = (await node.client().send(_request(requested), 7)).topics

        assert (result.error_code, result.num_partitions) == (0, 2)


async def test_validate_only_creates_nothing(tmp_path: Path) -> None:
    """Errors are the same."""
    async with running_node(tmp_path) as node:
        (result,) = (await node.client().send(_request(_topic("t"), validate_only=True), 7)).topics

        assert result.error_code == 0
        assert node.controller.topic("t") is None


@pytest.mark.parametrize(
    ("topic", "code", "message"),
    [
        (
            CreatableTopic(
                name="t",
                num_partitions=-1,
                replication_factor=1,
                assignments=[CreatableReplicaAssignment(partition_index=0, broker_ids=[1])],
                configs=[],
            ),
            ErrorCode.INVALID_REQUEST,
            (
                "A manual partition assignment was specified, but replication factor was not set "
                "to -1."
            ),
        ),
        (
            CreatableTopic(
                name="t",
                num_partitions=-1,
                replication_factor=-1,
                assignments=[CreatableReplicaAssignment(partition_index=0, broker_ids=[1])] * 2,
                configs=[],
            ),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "Found multiple manual partition assignments for partition 0",
        ),
        (
            _topic("t", assignments={0: [7]}),
            ErrorCode.INVALID_REPLICA_ASSIGNMENT,
            "The manual partition assignment includes broker 7, but no such broker is registered.",
        ),
        (
            _topic("__cluster_metadata"),
            ErrorCode.INVALID_REQUEST,
            "Creation of internal topic __cluster_metadata is prohibited.",
        ),
        (
            _topic("t", 20_000),
            ErrorCode.POLICY_VIOLATION,
            "Excessively large number of partitions per request.",
        ),
    ],
)
async def test_the_messages_are_those_of_kafka(
    tmp_path: Path, topic: CreatableTopic, code: ErrorCode, message: str
) -> None:
    """Code and message are those of Kafka 4.3.1."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(_request(topic))

        (result,) = response.topics
        assert (result.error_code, result.error_message) == (code, message)


@pytest.mark.parametrize("assignments", [[(1, [1])], [(0, [1]), (0, [1])]])
@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("known", ErrorCode.TOPIC_ALREADY_EXISTS),
        ("a b", ErrorCode.INVALID_TOPIC_EXCEPTION),
        ("t", ErrorCode.INVALID_REPLICA_ASSIGNMENT),
    ],
)
async def test_the_name_is_checked_before_the_assignment(
    tmp_path: Path, name: str, code: ErrorCode, assignments: list[tuple[int, list[int]]]
) -> None:
    """A malformed assignment of a topic that cannot be created has the error of the name."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("known")

        response = await node.client().send(_request(_topic(name, assignments=assignments)))

        assert [each.error_code for each in response.topics] == [code]


async def test_replicas_are_checked_before_a_repeated_partition(tmp_path: Path) -> None:
    """Assignments are checked in the order of the request."""
    async with running_node(tmp_path) as node:
        request = _request(_topic("t", assignments=[(0, [-1]), (0, [2])]))

        (result,) = (await node.client().send(request)).topics

        assert result.error_message is not None
        assert "broker -1" in result.error_message


async def test_topics_have_a_limited_number_of_partitions_together(tmp_path: Path) -> None:
    """Above it no topic is created, not even one that is below it."""
    async with running_node(tmp_path) as node:
        request = _request(_topic("t", 6000), _topic("u", 4001), _topic("v"))

        response = await node.client().send(request)

        assert [each.error_code for each in response.topics] == [ErrorCode.POLICY_VIOLATION] * 3
        assert node.controller.topic("v") is None
