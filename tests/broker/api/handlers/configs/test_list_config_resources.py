"""ListConfigResources."""

from __future__ import annotations

from pathlib import Path

import pytest

from protocol.errors import ErrorCode
from protocol.messages.list_config_resources import ListConfigResourcesRequest
from tests.client import running_node

pytestmark = pytest.mark.anyio

TOPIC, BROKER, LOGGER, GROUP = 2, 4, 8, 32


@pytest.mark.parametrize(
    ("types", "listed"),
    [
        ([], [("t", TOPIC), ("1", BROKER), ("1", LOGGER), ("g", GROUP)]),
        ([TOPIC], [("t", TOPIC)]),
        ([BROKER], [("1", BROKER)]),
        ([GROUP, 16], [("g", GROUP)]),
    ],
)
async def test_resources_with_configs(
    tmp_path: Path, types: list[int], listed: list[tuple[str, int]]
) -> None:
    """All of them, or those of some types; groups only if they have configs."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        node.controller.alter_group_configs("g", lambda _: {"consumer.session.timeout.ms": "50000"})

        response = await node.client().send(ListConfigResourcesRequest(resource_types=types), 1)

        found = [(each.resource_name, each.resource_type) for each in response.config_resources]
        assert (response.error_code, found) == (0, listed)


async def test_an_unknown_type(tmp_path: Path) -> None:
    """UNSUPPORTED_VERSION, since a later version may have it."""
    async with running_node(tmp_path) as node:
        response = await node.client().send(ListConfigResourcesRequest(resource_types=[3]), 1)

        assert response.error_code == ErrorCode.UNSUPPORTED_VERSION


@pytest.mark.parametrize(("version", "types"), [(0, []), (1, [16])])
async def test_subscriptions_of_client_metrics(
    tmp_path: Path, version: int, types: list[int]
) -> None:
    """Version 0 lists nothing else; a subscription without configs is omitted."""
    async with running_node(tmp_path) as node:
        node.controller.alter_client_metrics("a", lambda _: {"metrics": "*"})
        node.controller.alter_client_metrics("b", lambda _: {"metrics": "*"})
        node.controller.alter_client_metrics("b", lambda _: {})
        request = ListConfigResourcesRequest(resource_types=types)

        response = await node.client().send(request, version)

        assert [each.resource_name for each in response.config_resources] == ["a"]
