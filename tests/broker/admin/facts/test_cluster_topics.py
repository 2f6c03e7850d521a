"""Tests of topics as the admin interface describes them: `broker.admin.facts.cluster_topics`."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.admin.cluster_facts import ClusterFacts
from broker.steps.limits import SLICE_MS
from tests.client import running_node
from tests.short_slices import short_slices

pytestmark = pytest.mark.anyio


async def test_selected_partitions_are_those_of_the_cluster(tmp_path: Path) -> None:
    """With the name of their topic; None selects all."""
    async with running_node(tmp_path) as node:
        for name, count in (("a", 2), ("b", 1)):
            node.controller.create_topic(name, partitions=count)
        facts = ClusterFacts(node.cluster)
        a, b = (await facts.cluster())["topics"]
        of_a = [{"topic": "a", **each} for each in a["partitions"]]
        of_b = [{"topic": "b", **each} for each in b["partitions"]]

        assert list(facts.partitions(None, None)) == of_a + of_b
        assert list(facts.partitions("a", None)) == of_a
        assert list(facts.partitions("a", 1)) == of_a[1:]


async def test_a_partition_that_does_not_exist_is_not_selected(tmp_path: Path) -> None:
    """Nor one of a topic that does not exist."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("a")
        facts = ClusterFacts(node.cluster)

        assert not list(facts.partitions("a", 1))
        assert not list(facts.partitions("b", None))


async def test_a_topic_is_that_of_the_cluster(tmp_path: Path) -> None:
    """None if it does not exist."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("a", partitions=2)
        facts = ClusterFacts(node.cluster)

        assert facts.topic_names() == ["a"]
        assert facts.topic("a") == (await facts.cluster())["topics"][0]
        assert facts.topic("b") is None


async def test_a_node_is_that_of_the_cluster(tmp_path: Path) -> None:
    """None if there is none of that id."""
    async with running_node(tmp_path) as node:
        facts = ClusterFacts(node.cluster)

        assert facts.node(1) == (await facts.cluster())["nodes"][0]
        assert facts.node(2) is None


async def test_many_partitions_are_described_in_slices(tmp_path: Path) -> None:
    """Other requests are served between two of them."""
    async with running_node(tmp_path) as node:
        node.controller.create_topic("a", partitions=10)
        before = short_slices(node.cluster.steps)

        [topic] = (await ClusterFacts(node.cluster).cluster())["topics"]

        assert len(topic["partitions"]) == 10
        assert node.cluster.steps.slices_run - before >= 10 / SLICE_MS
