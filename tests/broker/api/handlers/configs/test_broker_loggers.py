"""The levels of loggers in DescribeConfigs and IncrementalAlterConfigs."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResult,
)
from protocol.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from tests.client import Client, running_cluster, running_node

pytestmark = pytest.mark.anyio

TOPIC, LOGGERS = 2, 8
SET, DELETE, APPEND, UNKNOWN = 0, 1, 2, 9
ABOVE, LOGGER, BELOW = "tests.loggers", "tests.loggers.a", "tests.loggers.a.b"
UNSUPPORTED = (
    f"Cannot set the log level of {LOGGER} to debug as it is not a supported log level. Valid log "
    "levels are DEBUG, ERROR, FATAL, INFO, TRACE, WARN"
)


@pytest.fixture(autouse=True)
def loggers() -> Iterator[None]:
    """Two loggers, one below the other, and the levels of before afterwards."""
    named = [logging.getLogger(name) for name in (None, LOGGER, BELOW)]
    levels = [each.level for each in named]
    yield
    for each, level in zip(named, levels, strict=True):
        each.setLevel(level)


async def _described(client: Client, *names: str, node: str = "1") -> DescribeConfigsResult:
    resource = DescribeConfigsResource(
        resource_type=LOGGERS, resource_name=node, configuration_keys=list(names) or None
    )
    response = await client.send(
        DescribeConfigsRequest(
            resources=[resource], include_synonyms=True, include_documentation=True
        ),
        4,
    )
    [result] = response.results
    assert isinstance(result, DescribeConfigsResult)
    return result


async def _levels(client: Client, *names: str) -> dict[str, str | None]:
    result = await _described(client, *names)
    return {each.name: each.value for each in result.configs}


def _resource(*changes: tuple[str, int, str | None], node: str = "1") -> AlterConfigsResource:
    configs = [
        AlterableConfig(name=name, config_operation=operation, value=value)
        for name, operation, value in changes
    ]
    return AlterConfigsResource(resource_type=LOGGERS, resource_name=node, configs=configs)


async def _alter(
    client: Client, *resources: AlterConfigsResource, validate_only: bool = False
) -> list[tuple[int, str | None]]:
    request = IncrementalAlterConfigsRequest(resources=list(resources), validate_only=validate_only)
    response = await client.send(request, 1)
    return [(each.error_code, each.error_message) for each in response.responses]


async def test_all_loggers(tmp_path: Path) -> None:
    """The loggers of the process and the root logger; no names of which there are only parts."""
    async with running_node(tmp_path) as node:
        logging.getLogger().setLevel(logging.ERROR)

        levels = await _levels(node.client())

        assert levels["root"] == levels["antechamber.connection"] == levels[LOGGER] == "ERROR"
        assert ABOVE not in levels


async def test_a_named_logger(tmp_path: Path) -> None:
    """It has the source of a logger's level, and neither synonyms nor a type."""
    async with running_node(tmp_path) as node:
        logging.getLogger(LOGGER).setLevel(logging.CRITICAL)

        [config] = (await _described(node.client(), LOGGER, "unknown")).configs

        assert (config.name, config.value, config.config_source) == (LOGGER, "FATAL", 6)
        assert (config.read_only, config.synonyms, config.config_type) == (False, [], 0)
        assert config.documentation == ""


@pytest.mark.parametrize(
    ("node_name", "message"),
    [
        ("", "Broker id must not be empty"),
        ("2", "Unexpected broker id, expected 1 but received 2"),
        ("one", "Broker id must be an integer, but it is: one"),
    ],
)
async def test_loggers_of_no_node(tmp_path: Path, node_name: str, message: str) -> None:
    """A node describes its own loggers."""
    async with running_node(tmp_path) as node:
        result = await _described(node.client(), node=node_name)

        assert (result.error_code, result.error_message) == (ErrorCode.INVALID_REQUEST, message)


@pytest.mark.parametrize(
    ("level", "number"),
    [
        ("TRACE", 5),
        ("DEBUG", logging.DEBUG),
        ("INFO", logging.INFO),
        ("WARN", logging.WARNING),
        ("ERROR", logging.ERROR),
        ("FATAL", logging.CRITICAL),
    ],
)
async def test_a_level_is_in_effect_at_once(tmp_path: Path, level: str, number: int) -> None:
    """The logger logs from this level on, and loggers below it as well."""
    async with running_node(tmp_path) as node:
        client = node.client()

        assert await _alter(client, _resource((LOGGER, SET, level))) == [(0, None)]

        assert logging.getLogger(BELOW).getEffectiveLevel() == number
        assert await _levels(client, LOGGER, BELOW) == {LOGGER: level, BELOW: level}


async def test_a_deleted_level_is_that_of_the_logger_above(tmp_path: Path) -> None:
    """Of the nearest one that has a level, and at last of the root logger."""
    async with running_node(tmp_path) as node:
        client = node.client()
        await _alter(client, _resource(("root", SET, "WARN"), (LOGGER, SET, "INFO")))
        await _alter(client, _resource((BELOW, SET, "TRACE")))

        await _alter(client, _resource((BELOW, DELETE, None)))
        assert await _levels(client, LOGGER, BELOW) == {LOGGER: "INFO", BELOW: "INFO"}

        await _alter(client, _resource((LOGGER, DELETE, None)))
        assert await _levels(client, LOGGER, BELOW) == {LOGGER: "WARN", BELOW: "WARN"}


async def test_only_validated(tmp_path: Path) -> None:
    """The level remains."""
    async with running_node(tmp_path) as node:
        client = node.client()
        await _alter(client, _resource((LOGGER, SET, "ERROR")))

        change = _resource((LOGGER, SET, "DEBUG"))
        assert await _alter(client, change, validate_only=True) == [(0, None)]

        assert await _levels(client, LOGGER) == {LOGGER: "ERROR"}


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        ((LOGGER, SET, "debug"), ErrorCode.INVALID_CONFIG, UNSUPPORTED),
        ((ABOVE, SET, "INFO"), ErrorCode.INVALID_CONFIG, f"Logger {ABOVE} does not exist!"),
        ((ABOVE, DELETE, None), ErrorCode.INVALID_CONFIG, f"Logger {ABOVE} does not exist!"),
        (
            ("root", DELETE, None),
            ErrorCode.INVALID_REQUEST,
            "Removing the log level of the root logger is not allowed",
        ),
        (
            (ABOVE, APPEND, "INFO"),
            ErrorCode.INVALID_REQUEST,
            "APPEND operation is not allowed for the BROKER_LOGGER resource",
        ),
        ((LOGGER, UNKNOWN, "INFO"), ErrorCode.UNKNOWN_SERVER_ERROR, None),
        (
            (LOGGER, SET, None),
            ErrorCode.INVALID_REQUEST,
            f"Null value not supported for : {LOGGER}",
        ),
    ],
)
async def test_refused_levels(
    tmp_path: Path, change: tuple[str, int, str | None], code: ErrorCode, message: str | None
) -> None:
    """Nothing of the resource is changed; code and message are those of Kafka 4.3.1."""
    async with running_node(tmp_path) as node:
        client = node.client()
        await _alter(client, _resource((BELOW, SET, "ERROR")))

        refused = _resource((BELOW, SET, "INFO"), change)

        assert await _alter(client, refused) == [(code, message)]
        assert await _levels(client, BELOW) == {BELOW: "ERROR"}


@pytest.mark.parametrize(
    ("node_name", "message"),
    [
        ("", "Node id must be an integer, but it is: "),
        ("2", "Unexpected node id. Expected 1, but received 2"),
        ("one", "Node id must be an integer, but it is: one"),
    ],
)
async def test_levels_of_no_node(tmp_path: Path, node_name: str, message: str) -> None:
    """A node changes its own loggers."""
    async with running_node(tmp_path) as node:
        change = _resource((LOGGER, SET, "INFO"), node=node_name)

        assert await _alter(node.client(), change) == [(ErrorCode.INVALID_REQUEST, message)]


async def test_levels_beside_an_unknown_operation_on_a_topic(tmp_path: Path) -> None:
    """They are changed: the controller, which refuses the rest, does not get them."""
    async with running_node(tmp_path) as node:
        client = node.client()
        topic = AlterConfigsResource(
            resource_type=TOPIC,
            resource_name="t",
            configs=[AlterableConfig(name="retention.ms", config_operation=UNKNOWN, value="1")],
        )

        outcomes = await _alter(client, _resource((LOGGER, SET, "ERROR")), topic)

        assert outcomes == [(0, None), (ErrorCode.UNKNOWN_SERVER_ERROR, None)]
        assert await _levels(client, LOGGER) == {LOGGER: "ERROR"}


async def test_all_nodes_share_the_loggers(tmp_path: Path) -> None:
    """They are in one process."""
    async with running_cluster(tmp_path, brokers=2) as cluster:
        await _alter(cluster.client(2), _resource((LOGGER, SET, "ERROR"), node="2"))

        assert await _levels(cluster.client(1), LOGGER) == {LOGGER: "ERROR"}
