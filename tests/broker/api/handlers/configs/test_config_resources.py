"""Resources that have configs, and the alteration of each."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from broker.api.handlers.configs.alter_configs import alter_configs
from broker.api.handlers.configs.config_resources import (
    AlteredResource,
    ResourceType,
    alter_each,
    node_id,
)
from broker.api.handlers.configs.incremental_alter_configs import incremental_alter_configs
from broker.config.changes import ConfigChange, Operation
from broker.security.session import ANONYMOUS_SESSION
from broker.steps.queue import Slices, finish
from protocol.errors import ErrorCode
from tests.client import RunningNode, running_node

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("name", "node"),
    [("1", 1), ("0012", 12), ("", None), ("-1", -1), ("\u0661", None), ("9" * 5000, None)],
)
def test_a_resource_name_may_be_a_node_id(name: str, node: int | None) -> None:
    """At most ten digits, with an optional sign, as in Java."""
    assert node_id(name) == node


def _request(node: RunningNode) -> Any:
    """A request to the node, of which only the services are used."""
    return SimpleNamespace(services=node.node.services)


async def test_each_resource_has_its_own_result(tmp_path: Path) -> None:
    """A resource that is refused does not keep the others from being altered."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        topic = ResourceType.TOPIC
        bad = AlteredResource(topic, "t", [ConfigChange("retention.ms", "x")], replaces=False)
        good = AlteredResource(
            ResourceType.BROKER, "1", [ConfigChange("log.retention.ms", "9")], replaces=False
        )

        outcomes = finish(alter_each(_request(node), [bad, good], validate_only=False))

        assert outcomes[0] is not None
        assert outcomes[1] is None
        assert node.node.config.log_retention_ms == 9


@pytest.mark.parametrize(
    ("kind", "name", "key", "words"),
    [
        (
            ResourceType.TOPIC,
            "t",
            "retention.ms",
            "Can't APPEND to key retention.ms because its type is not LIST.",
        ),
        (
            ResourceType.BROKER,
            "1",
            "log.retention.ms",
            "Config value append is not allowed for config key: log.retention.ms",
        ),
    ],
)
async def test_only_a_list_can_be_appended_to(
    tmp_path: Path, kind: ResourceType, name: str, key: str, words: str
) -> None:
    """Kafka's messages for topics and for brokers differ."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("t")
        changes = [ConfigChange(key, "1", Operation.APPEND)]
        requested = AlteredResource(kind, name, changes, replaces=False)

        (refusal,) = finish(alter_each(_request(node), [requested], validate_only=False))

        assert refusal is not None
        assert (refusal.code, refusal.message) == (ErrorCode.INVALID_CONFIG, words)


def _pieces(slices: Slices[Any]) -> tuple[int, Any]:
    """How often *slices* may be interrupted, and their result."""
    pieces = 0
    while True:
        try:
            next(slices)
        except StopIteration as end:
            return pieces, end.value
        pieces += 1


@pytest.mark.parametrize("handler", [alter_configs, incremental_alter_configs])
async def test_each_pass_over_the_resources_may_be_interrupted(
    tmp_path: Path, handler: Any
) -> None:
    """Also the passes before and after the alterations."""
    resources = [
        SimpleNamespace(resource_type=ResourceType.TOPIC, resource_name=f"n{each}", configs=[])
        for each in range(100)
    ]
    async with running_node(tmp_path) as node:
        request = _request(node)
        request.body = SimpleNamespace(resources=resources, validate_only=True)
        request.session = ANONYMOUS_SESSION
        pieces, response = _pieces(handler(request))

    assert len(response.responses) == len(resources)
    assert pieces >= 5 * len(resources)
