"""``__consumer_offsets``."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from tests.client import running_cluster

pytestmark = pytest.mark.anyio


async def test_the_topic_has_its_configured_partitions_and_a_replica_on_each_node(
    tmp_path: Path,
) -> None:
    """The replication factor is 3; with fewer nodes, each of them gets a replica."""
    async with running_cluster(tmp_path, 2, offsets_topic_num_partitions="4") as cluster:
        topic = ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))

        assert [sorted(each.replicas) for each in topic.partitions] == [[1, 2]] * 4
        assert topic.configs["cleanup.policy"] == "compact"
        again = ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
        assert again is topic


async def test_a_group_is_coordinated_by_the_leader_of_its_partition(tmp_path: Path) -> None:
    """There is no coordinator before the topic exists."""
    async with running_cluster(tmp_path, 2, offsets_topic_num_partitions="4") as cluster:
        groups, image = cluster.node(1).groups.runtime, cluster.controller.image
        with pytest.raises(ApiError, match="COORDINATOR_NOT_AVAILABLE"):
            groups.coordinator("a", image)

        topic = ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))

        # The hash code of "a" is 97, and 97 % 4 is 1.
        assert groups.coordinator("a", image).node_id == topic.partitions[1].leader
