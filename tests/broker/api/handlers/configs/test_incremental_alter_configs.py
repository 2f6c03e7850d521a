"""IncrementalAlterConfigs."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from protocol.errors import ErrorCode
from protocol.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from protocol.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from tests.batches import batch
from tests.client import Client, running_cluster, running_node

pytestmark = pytest.mark.anyio

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
SET, DELETE, APPEND = 0, 1, 2


def _resource(kind: int, name: str, *configs: tuple[str, int, str | None]) -> AlterConfigsResource:
    return AlterConfigsResource(
        resource_type=kind,
        resource_name=name,
        configs=[
            AlterableConfig(name=key, config_operation=operation, value=value)
            for key, operation, value in configs
        ],
    )


async def _alter(
    client: Client, *resources: AlterConfigsResource, version: int = 1, validate_only: bool = False
) -> list[tuple[int, str | None]]:
    response = await client.send(
        IncrementalAlterConfigsRequest(resources=list(resources), validate_only=validate_only),
        version,
    )
    return [(each.error_code, each.error_message) for each in response.responses]


async def _produce(client: Client, size: int) -> int:
    response = await client.send(
        ProduceRequest(
            acks=-1,
            timeout_ms=1000,
            topic_data=[
                TopicProduceData(
                    name="t",
                    partition_data=[PartitionProduceData(index=0, records=batch(b"x" * size))],
                )
            ],
        ),
        9,
    )
    error: int = response.responses[0].partition_responses[0].error_code
    return error


@pytest.mark.parametrize("version", [0, 1])
async def test_a_topic_config_applies_at_once(tmp_path: Path, version: int) -> None:
    """A batch that was accepted before is too large for the next request."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"retention.ms": "5"})
        client = node.client()

        before = await _produce(client, 2000)
        result = await _alter(
            client, _resource(TOPIC, "t", ("max.message.bytes", SET, "1000")), version=version
        )
        after = await _produce(client, 2000)

        assert result == [(0, None)]
        assert (before, after) == (ErrorCode.NONE, ErrorCode.MESSAGE_TOO_LARGE)
        topic = node.controller.topic("t")
        assert topic is not None
        assert topic.configs == {"retention.ms": "5", "max.message.bytes": "1000"}


async def test_a_list_is_appended_to(tmp_path: Path) -> None:
    """To the default, if nothing was set; then it is unset again."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        client = node.client()

        await _alter(client, _resource(TOPIC, "t", ("cleanup.policy", APPEND, "compact")))

        topic = node.controller.topic("t")
        assert topic is not None
        assert topic.configs == {"cleanup.policy": "delete,compact"}
        await _alter(client, _resource(TOPIC, "t", ("cleanup.policy", DELETE, None)))
        topic = node.controller.topic("t")
        assert topic is not None
        assert topic.configs == {}


async def test_min_insync_replicas_applies_to_the_next_produce(tmp_path: Path) -> None:
    """Two of three in-sync replicas were enough before."""
    async with running_cluster(tmp_path, 3) as cluster:
        cluster.controller.create_topic("t", partitions=1, replication_factor=3)
        topic = cluster.controller.topic("t")
        assert topic is not None
        leader = topic.partitions[0].leader
        client = cluster.client(leader)
        await cluster.cluster.stop(next(n for n in (1, 2, 3) if n != leader))

        before = await _produce(client, 10)
        await _alter(client, _resource(TOPIC, "t", ("min.insync.replicas", SET, "3")))
        after = await _produce(client, 10)

        assert (before, after) == (ErrorCode.NONE, ErrorCode.NOT_ENOUGH_REPLICAS)


async def test_dynamic_configs_of_all_nodes(tmp_path: Path) -> None:
    """A topic without a value of its own uses them; static configs such as num.partitions stay."""
    async with running_cluster(tmp_path, 3) as cluster:
        cluster.controller.create_topic("t")

        result = await _alter(
            cluster.client(1), _resource(BROKER, "", ("message.max.bytes", SET, "1000"))
        )

        assert result == [(0, None)]
        assert [cluster.node(n).config.message_max_bytes for n in (1, 2, 3)] == [1000] * 3
        leader = cluster.controller.image.topics["t"].partitions[0].leader
        assert await _produce(cluster.client(leader), 2000) == ErrorCode.MESSAGE_TOO_LARGE


async def test_a_dynamic_config_of_one_node(tmp_path: Path) -> None:
    """Its own value has priority over that of all nodes, until it is unset."""
    async with running_cluster(tmp_path, 2) as cluster:
        client = cluster.client(1)
        await _alter(client, _resource(BROKER, "", ("log.segment.bytes", SET, "2000000")))

        await _alter(client, _resource(BROKER, "1", ("log.segment.bytes", SET, "3000000")))
        own = [cluster.node(n).config.log_segment_bytes for n in (1, 2)]
        await _alter(client, _resource(BROKER, "1", ("log.segment.bytes", DELETE, None)))
        shared = [cluster.node(n).config.log_segment_bytes for n in (1, 2)]

        assert own == [3_000_000, 2_000_000]
        assert shared == [2_000_000, 2_000_000]


async def test_altered_configs_survive_a_restart(tmp_path: Path) -> None:
    """Those of topics and of brokers."""
    async with running_node(tmp_path, kept=True) as node:
        node.controller.create_topic("t")
        await _alter(
            node.client(),
            _resource(TOPIC, "t", ("retention.ms", SET, "7")),
            _resource(BROKER, "1", ("message.max.bytes", SET, "1000")),
        )

    async with running_node(tmp_path, kept=True) as node:
        topic = node.controller.topic("t")
        assert topic is not None
        assert topic.configs == {"retention.ms": "7"}
        assert node.node.config.message_max_bytes == 1000


async def test_validate_only_alters_nothing(tmp_path: Path) -> None:
    """Errors are the same."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        responses = await _alter(
            node.client(),
            _resource(TOPIC, "t", ("retention.ms", SET, "7")),
            _resource(BROKER, "1", ("message.max.bytes", SET, "x")),
            validate_only=True,
        )

        assert [code for code, _ in responses] == [0, ErrorCode.INVALID_REQUEST]
        topic = node.controller.topic("t")
        assert topic is not None
        assert topic.configs == {}


@pytest.mark.parametrize(
    ("resource", "code", "message"),
    [
        (
            _resource(TOPIC, "t", ("nope", SET, "1")),
            ErrorCode.INVALID_CONFIG,
            "Unknown topic config name: nope",
        ),
        (
            _resource(TOPIC, "zz", ("retention.ms", SET, "5")),
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            "The topic 'zz' does not exist.",
        ),
        (
            _resource(TOPIC, "", ("retention.ms", SET, "5")),
            ErrorCode.INVALID_REQUEST,
            "Default topic resources are not allowed.",
        ),
        (
            _resource(BROKER, "1", ("log.retention.ms", 9, "5")),
            ErrorCode.INVALID_REQUEST,
            "Unknown operations type 9",
        ),
        (
            _resource(TOPIC, "zz", ("retention.ms", SET, "soon")),
            ErrorCode.INVALID_CONFIG,
            "Invalid value soon for configuration retention.ms: Not a number of type LONG",
        ),
        (
            _resource(TOPIC, "zz", ("retention.ms", APPEND, "5")),
            ErrorCode.INVALID_CONFIG,
            "Can't APPEND to key retention.ms because its type is not LIST.",
        ),
        (
            _resource(CLIENT_METRICS, "", ("interval.ms", APPEND, "5")),
            ErrorCode.INVALID_CONFIG,
            "Can't APPEND to key interval.ms because its type is not LIST.",
        ),
        (
            _resource(BROKER, "2", ("log.retention.ms", SET, "5")),
            ErrorCode.INVALID_REQUEST,
            "Unexpected broker id, expected 1, but received 2",
        ),
        (
            _resource(BROKER, "abc", ("log.retention.ms", SET, "5")),
            ErrorCode.INVALID_REQUEST,
            "Node id must be an integer, but it is: abc",
        ),
        (_resource(99, "x"), ErrorCode.INVALID_REQUEST, "Unknown resource type 99"),
        (
            _resource(99, "x", ("b", SET, None), ("a", SET, None)),
            ErrorCode.INVALID_REQUEST,
            "Null value not supported for : b, a",
        ),
        (
            _resource(BROKER_LOGGER, "1", ("a", SET, "INFO"), ("a", DELETE, None)),
            ErrorCode.INVALID_REQUEST,
            "Error due to duplicate config keys",
        ),
    ],
)
async def test_refused_alterations(
    tmp_path: Path, resource: AlterConfigsResource, code: ErrorCode, message: str | None
) -> None:
    """Code and message are those of Kafka 4.3.1; another resource of the request is altered."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.create_topic("u")
        good = _resource(TOPIC, "u", ("retention.ms", SET, "5"))

        responses = await _alter(node.client(), resource, good)

        assert set(responses) == {(code, message), (0, None)}


@pytest.mark.parametrize("operation", [4, -1])
async def test_an_unknown_operation_fails_all_that_the_controller_gets(
    tmp_path: Path, operation: int
) -> None:
    """A resource of an unknown type, which the node refuses, has an error of its own."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.create_topic("u")

        responses = await _alter(
            node.client(),
            _resource(TOPIC, "t", ("retention.ms", operation, "5")),
            _resource(0, "x"),
            _resource(TOPIC, "u", ("retention.ms", SET, "7000")),
        )

        failed = (ErrorCode.UNKNOWN_SERVER_ERROR, None)
        unknown = (ErrorCode.INVALID_REQUEST, "Unknown resource type 0")
        assert responses == [failed, unknown, failed]
        assert node.controller.image.topics["u"].configs == {}


@pytest.mark.parametrize(("appended", "unknown"), [("a", "b"), ("b", "a")])
async def test_the_first_of_an_unknown_and_an_invalid_operation_is_reported(
    tmp_path: Path, appended: str, unknown: str
) -> None:
    """The first in the order of a hash table; an invalid one fails its own resource only."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.create_topic("u")

        responses = await _alter(
            node.client(),
            _resource(TOPIC, "t", (appended, APPEND, "x"), (unknown, 4, "x")),
            _resource(TOPIC, "u", ("retention.ms", SET, "7000")),
        )

        if unknown == "a":
            assert responses == [(ErrorCode.UNKNOWN_SERVER_ERROR, None)] * 2
        else:
            message = "Can't APPEND to key a because its type is not LIST."
            assert responses == [(ErrorCode.INVALID_CONFIG, message), (0, None)]


async def test_a_resource_named_twice_is_refused(tmp_path: Path) -> None:
    """Neither occurrence is applied."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")

        responses = await _alter(
            node.client(),
            _resource(TOPIC, "t", ("retention.ms", SET, "5")),
            _resource(TOPIC, "t", ("retention.bytes", SET, "5")),
        )

        twice = (ErrorCode.INVALID_REQUEST, "Each resource must appear at most once.")
        assert responses == [twice, twice]
        assert node.controller.image.topics["t"].configs == {}


async def test_members_get_the_altered_heartbeat_interval(tmp_path: Path) -> None:
    """With their next heartbeats, on every node, until it is unset."""
    async with running_node(tmp_path) as node:
        client = node.client()
        node.controller.create_topic("t")
        heartbeat = ConsumerGroupHeartbeatRequest(
            group_id="g",
            member_id="m",
            member_epoch=0,
            rebalance_timeout_ms=1000,
            subscribed_topic_names=["t"],
            topic_partitions=[],
        )
        await client.send(FindCoordinatorRequest(key_type=0, coordinator_keys=["g"]), 4)
        await trio.testing.wait_all_tasks_blocked()
        joined = await client.send(heartbeat, 1)
        again = ConsumerGroupHeartbeatRequest(
            group_id="g", member_id="m", member_epoch=joined.member_epoch
        )

        key = "consumer.heartbeat.interval.ms"
        altered = await _alter(client, _resource(GROUP, "g", (key, SET, "6000")))
        slower = await client.send(again, 1)
        await _alter(client, _resource(GROUP, "g", (key, DELETE, None)))
        back = await client.send(again, 1)

        assert altered == [(0, None)]
        assert [each.heartbeat_interval_ms for each in (joined, slower, back)] == [5000, 6000, 5000]


async def test_refused_alterations_of_a_group(tmp_path: Path) -> None:
    """Unknown keys, values out of bounds, and no name; no config of the request is altered."""
    async with running_node(tmp_path) as node:
        key = "consumer.session.timeout.ms"
        nameless = _resource(GROUP, "", (key, SET, "50000"))
        unknown = _resource(GROUP, "g", (key, SET, "50000"), ("nope", SET, "1"))
        added = _resource(GROUP, "h", (key, APPEND, "1"))

        outcomes = await _alter(node.client(), nameless, unknown, added)

        assert outcomes == [
            (ErrorCode.INVALID_REQUEST, "Default group resources are not allowed."),
            (ErrorCode.INVALID_CONFIG, "Unknown group config name: nope"),
            (
                ErrorCode.INVALID_CONFIG,
                f"Can't APPEND to key {key} because its type is not LIST.",
            ),
        ]
        assert node.controller.image.group_configs == {}
