"""AlterConfigs."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.alter_configs import (
    AlterableConfig,
    AlterConfigsRequest,
    AlterConfigsResource,
)
from tests.client import RunningNode, running_node

pytestmark = pytest.mark.anyio

TOPIC, BROKER = 2, 4


async def _alter(
    node: RunningNode, kind: int, name: str, configs: dict[str, str | None], version: int = 2
) -> tuple[int, str | None]:
    response = await node.client().send(
        AlterConfigsRequest(
            resources=[
                AlterConfigsResource(
                    resource_type=kind,
                    resource_name=name,
                    configs=[
                        AlterableConfig(name=key, value=value) for key, value in configs.items()
                    ],
                )
            ],
            validate_only=False,
        ),
        version,
    )
    (result,) = response.responses
    return result.error_code, result.error_message


@pytest.mark.parametrize("version", range(3))
async def test_a_config_that_is_not_named_is_unset(tmp_path: Path, version: int) -> None:
    """IncrementalAlterConfigs exists for that reason (KIP-339)."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"retention.ms": "5", "segment.ms": "5"})

        result = await _alter(node, TOPIC, "t", {"retention.ms": "6"}, version)

        assert result == (0, None)
        assert node.controller.image.topics["t"].configs == {"retention.ms": "6"}


async def test_a_broker_returns_to_its_defaults(tmp_path: Path) -> None:
    """To the values it was started with, if any."""
    async with running_node(tmp_path, message_max_bytes="5000") as node:
        await _alter(node, BROKER, "1", {"message.max.bytes": "6000", "log.retention.ms": "7"})

        await _alter(node, BROKER, "1", {"log.retention.ms": "8"})

        config = node.node.config
        assert (config.message_max_bytes, config.log_retention_ms) == (5000, 8)


@pytest.mark.parametrize(
    ("kind", "name", "configs", "code", "message"),
    [
        (
            TOPIC,
            "t",
            {"retention.ms": None},
            ErrorCode.INVALID_REQUEST,
            "Null value not supported for : retention.ms",
        ),
        (
            TOPIC,
            "t",
            {"retention.ms": "x"},
            ErrorCode.INVALID_CONFIG,
            "Invalid value x for configuration retention.ms: Not a number of type LONG",
        ),
        (
            BROKER,
            "1",
            {"num.partitions": "5"},
            ErrorCode.INVALID_REQUEST,
            "Cannot update these configs dynamically: [num.partitions]",
        ),
        (8, "1", {"root": "INFO"}, ErrorCode.INVALID_REQUEST, "Unknown resource type 8"),
    ],
)
async def test_refused_alterations(
    tmp_path: Path,
    kind: int,
    name: str,
    configs: dict[str, str | None],
    code: ErrorCode,
    message: str,
) -> None:
    """Code and message are those of Kafka 4.3.1, and no config changes."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t", configs={"segment.ms": "5"})

        assert await _alter(node, kind, name, configs) == (code, message)
        assert node.controller.image.topics["t"].configs == {"segment.ms": "5"}
