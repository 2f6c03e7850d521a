"""The services of a node follow changes of the cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.config.dynamic import ALL_NODES
from tests.client import running_node

pytestmark = pytest.mark.anyio


async def test_the_image_follows_the_node(tmp_path: Path) -> None:
    """A topic is in the image when the change has reached the node, and not before."""
    async with running_node(tmp_path) as node:
        services = node.node.services
        node.node.feed.hold()
        node.controller.create_topic("t")
        assert services.image.topic("t") is None

        node.node.feed.release()

        assert services.image.topic("t") is not None


async def test_the_config_follows_changes_of_the_node(tmp_path: Path) -> None:
    """A dynamic config of all nodes applies to the services' config as well."""
    async with running_node(tmp_path) as node:
        node.controller.alter_broker_configs(
            ALL_NODES, lambda before: {**before, "log.retention.ms": "9"}
        )

        assert node.node.services.config.log_retention_ms == 9
