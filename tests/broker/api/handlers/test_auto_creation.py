"""Creation of topics by requests that name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.api.handlers.auto_creation import auto_create
from tests.client import running_node

pytestmark = pytest.mark.anyio


async def test_a_topic_has_the_brokers_defaults(tmp_path: Path) -> None:
    """As with CreateTopics without partitions and replicas."""
    async with running_node(tmp_path, num_partitions="2") as running:
        auto_create(running.controller, running.node.config, "t")

        assert len(running.controller.image.topics["t"].partitions) == 2


async def test_the_topic_of_offsets_has_its_own_configs(tmp_path: Path) -> None:
    """It has offsets.topic.num.partitions partitions, and is compacted."""
    async with running_node(tmp_path, offsets_topic_num_partitions="7") as running:
        auto_create(running.controller, running.node.config, "__consumer_offsets")

        topic = running.controller.image.topics["__consumer_offsets"]
        assert (len(topic.partitions), topic.configs["cleanup.policy"]) == (7, "compact")


async def test_the_topic_of_transactions_has_its_own_configs(tmp_path: Path) -> None:
    """It has transaction.state.log.num.partitions partitions and no unclean elections."""
    async with running_node(tmp_path, transaction_state_log_num_partitions="7") as running:
        auto_create(running.controller, running.node.config, "__transaction_state")

        topic = running.controller.image.topics["__transaction_state"]
        assert len(topic.partitions) == 7
        assert topic.configs["unclean.leader.election.enable"] == "false"


@pytest.mark.parametrize("name", ["a b", ""])
async def test_some_names_are_not_created(tmp_path: Path, name: str) -> None:
    """Names that the controller refuses."""
    async with running_node(tmp_path) as running:
        auto_create(running.controller, running.node.config, name)

        assert not running.controller.image.topics


async def test_the_topic_of_share_partitions_has_its_own_configs(tmp_path: Path) -> None:
    """It has share.coordinator.state.topic.num.partitions partitions, and is not compacted."""
    async with running_node(tmp_path, share_coordinator_state_topic_num_partitions="7") as running:
        auto_create(running.controller, running.node.config, "__share_group_state")

        topic = running.controller.image.topics["__share_group_state"]
        assert len(topic.partitions) == 7
        assert topic.configs["cleanup.policy"] == "delete"
        assert topic.configs["retention.ms"] == "-1"
