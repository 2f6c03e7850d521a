"""Authorization of requests about configs, as in Kafka 4.3.1 with the StandardAuthorizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from broker.security.resource import Operation
from protocol.messages import alter_configs, incremental_alter_configs
from protocol.messages.alter_configs import AlterConfigsRequest
from protocol.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource
from protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    IncrementalAlterConfigsRequest,
)
from tests.broker.api.authorization.fake_authorizer import (
    Allowed,
    on_cluster,
    on_group,
    on_topic,
    send,
)

pytestmark = pytest.mark.anyio

DESCRIBE_CONFIGS, ALTER_CONFIGS = Operation.DESCRIBE_CONFIGS, Operation.ALTER_CONFIGS
TOPIC, BROKER, LOGGER, METRICS, GROUP = 2, 4, 8, 16, 32
TOPIC_WORDS = "Topic authorization failed."
GROUP_WORDS = "Group authorization failed."
CLUSTER_WORDS = "Cluster authorization failed."
NOT_A_NODE = "Node id must be an integer, but it is: x"
OTHER_NODE = "Unexpected broker id, expected 1, but received 7"

Resource = tuple[int, str]


def described(*resources: Resource) -> DescribeConfigsRequest:
    """Describes one config of each resource."""
    return DescribeConfigsRequest(
        resources=[
            DescribeConfigsResource(
                resource_type=kind, resource_name=name, configuration_keys=["retention.ms"]
            )
            for kind, name in resources
        ]
    )


async def test_resources_that_the_client_may_describe_come_first(tmp_path: Path) -> None:
    """Neither names nor the existence of the others are checked."""
    requested = [
        (TOPIC, "b"),
        (TOPIC, "a"),
        (TOPIC, "bad/x"),
        (GROUP, "g"),
        (GROUP, ""),
        (BROKER, "1"),
        (BROKER, "7"),
        (BROKER, "x"),
        (LOGGER, "1"),
        (METRICS, "m"),
    ]
    allowed = [*on_topic(DESCRIBE_CONFIGS, "a"), *on_group(DESCRIBE_CONFIGS, "g")]

    response = await send(tmp_path, described(*requested), 4, *allowed)

    assert [
        (each.resource_type, each.resource_name, each.error_code, each.error_message)
        for each in response.results
    ] == [
        (TOPIC, "a", 0, ""),
        (GROUP, "g", 0, ""),
        (TOPIC, "b", 29, TOPIC_WORDS),
        (TOPIC, "bad/x", 29, TOPIC_WORDS),
        (GROUP, "", 30, GROUP_WORDS),
        (BROKER, "1", 31, CLUSTER_WORDS),
        (BROKER, "7", 31, CLUSTER_WORDS),
        (BROKER, "x", 31, CLUSTER_WORDS),
        (LOGGER, "1", 31, CLUSTER_WORDS),
        (METRICS, "m", 31, CLUSTER_WORDS),
    ]
    assert [config.name for config in response.results[0].configs] == ["retention.ms"]
    assert not any(each.configs for each in response.results[1:])


async def test_an_unknown_type_fails_the_descriptions_of_all_resources(tmp_path: Path) -> None:
    """In the order of the request, and without a check of the client."""
    response = await send(tmp_path, described((TOPIC, "a"), (99, "z"), (TOPIC, "b")), 4)

    assert [(each.resource_name, each.error_code) for each in response.results] == [
        ("a", 42),
        ("z", 42),
        ("b", 42),
    ]


async def test_the_cluster_has_the_configs_of_brokers(tmp_path: Path) -> None:
    """And those of client metrics."""
    body = described((BROKER, "1"), (METRICS, "m"), (TOPIC, "a"))

    response = await send(tmp_path, body, 4, on_cluster(DESCRIBE_CONFIGS))

    assert [each.error_code for each in response.results] == [0, 0, 29]


def replaced(*resources: Resource) -> AlterConfigsRequest:
    """Sets no config of each resource."""
    return AlterConfigsRequest(
        resources=[
            alter_configs.AlterConfigsResource(resource_type=kind, resource_name=name, configs=[])
            for kind, name in resources
        ],
        validate_only=False,
    )


def altered(
    *resources: Resource, operation: int = 0, key: str = "retention.ms"
) -> IncrementalAlterConfigsRequest:
    """Sets one config of each resource."""
    config = AlterableConfig(name=key, config_operation=operation, value="9")
    return IncrementalAlterConfigsRequest(
        resources=[
            incremental_alter_configs.AlterConfigsResource(
                resource_type=kind, resource_name=name, configs=[config]
            )
            for kind, name in resources
        ],
        validate_only=False,
    )


@pytest.mark.parametrize("make", [replaced, altered])
@pytest.mark.parametrize(
    ("resource", "error", "message"),
    [
        ((TOPIC, "b"), 29, TOPIC_WORDS),
        ((TOPIC, "bad/x"), 29, TOPIC_WORDS),
        ((TOPIC, ""), 29, TOPIC_WORDS),
        ((GROUP, "g"), 30, GROUP_WORDS),
        ((GROUP, ""), 30, GROUP_WORDS),
        ((BROKER, "1"), 31, CLUSTER_WORDS),
        ((BROKER, ""), 31, CLUSTER_WORDS),
        ((BROKER, "7"), 42, OTHER_NODE),
        ((BROKER, "x"), 42, NOT_A_NODE),
        ((METRICS, "m"), 31, CLUSTER_WORDS),
        ((99, "z"), 42, "Unknown resource type 99"),
    ],
)
async def test_alterations_that_the_client_may_not_do(
    tmp_path: Path, make: Any, resource: Resource, error: int, message: str
) -> None:
    """Only the name and the changes of a node are checked first."""
    response = await send(tmp_path, make(resource, (TOPIC, "a")), None)

    refused, other = response.responses
    assert (refused.error_code, refused.error_message) == (error, message)
    assert other.error_code == 29


async def test_changes_of_a_node_are_checked_before_the_client(tmp_path: Path) -> None:
    """Whoever sends an invalid change learns that it is invalid."""
    (result,) = (await send(tmp_path, altered((BROKER, "1"), key="node.id"), None)).responses

    assert result.error_code == 42
    assert result.error_message == "Cannot update these configs dynamically: [node.id]"


@pytest.mark.parametrize("name", ["1", ""])
async def test_unknown_operations_on_a_node_are_invalid_requests(tmp_path: Path, name: str) -> None:
    """Before the authorization, too."""
    (result,) = (await send(tmp_path, altered((BROKER, name), operation=9), None)).responses

    assert (result.error_code, result.error_message) == (42, "Unknown operations type 9")


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [(replaced, 42, "Unknown resource type 8"), (altered, 31, None)],
)
async def test_levels_of_loggers(
    tmp_path: Path, make: Any, error: int, message: str | None
) -> None:
    """They are resources of the incremental API only; its error has no message."""
    (result,) = (await send(tmp_path, make((LOGGER, "1")), None)).responses

    assert (result.error_code, result.error_message) == (error, message)


@pytest.mark.parametrize(
    ("resource", "allowed"),
    [
        ((TOPIC, "a"), on_topic(ALTER_CONFIGS, "a")),
        ((GROUP, "g"), on_group(ALTER_CONFIGS, "g")),
        ((BROKER, "1"), [on_cluster(ALTER_CONFIGS)]),
        ((METRICS, "m"), [on_cluster(ALTER_CONFIGS)]),
    ],
)
async def test_alterations_that_the_client_may_do(
    tmp_path: Path, resource: Resource, allowed: list[Allowed]
) -> None:
    """By the type of the resource."""
    (result,) = (await send(tmp_path, replaced(resource), None, *allowed)).responses

    assert result.error_code == 0


@pytest.mark.parametrize(
    ("allowed", "errors"), [([], [29, 42, 42]), (on_topic(ALTER_CONFIGS, "a"), [0, 42, 42])]
)
async def test_a_resource_that_is_named_twice_is_refused_first(
    tmp_path: Path, allowed: list[Allowed], errors: list[int]
) -> None:
    """Without a check of its authorization."""
    body = altered((TOPIC, "a"), (TOPIC, "b"), (TOPIC, "b"))

    response = await send(tmp_path, body, None, *allowed)

    assert [each.error_code for each in response.responses] == errors


@pytest.mark.parametrize(("allowed", "error"), [([], 29), (on_topic(ALTER_CONFIGS, "a"), -1)])
async def test_an_unknown_operation_is_checked_after_the_authorization(
    tmp_path: Path, allowed: list[Allowed], error: int
) -> None:
    """UNKNOWN_SERVER_ERROR is the error of a client that may alter the resource."""
    response = await send(tmp_path, altered((TOPIC, "a"), operation=9), None, *allowed)

    assert [each.error_code for each in response.responses] == [error]
