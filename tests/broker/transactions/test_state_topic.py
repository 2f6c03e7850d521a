"""``__transaction_state``."""

from __future__ import annotations

from pathlib import Path

import pytest

from broker.common.errors import ApiError
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.transactions.state_topic import transaction_state_topic
from tests.client import running_cluster

pytestmark = pytest.mark.anyio


async def test_the_topic_has_kafkas_configs_and_a_replica_on_each_node(tmp_path: Path) -> None:
    """The replication factor is 3; with fewer nodes, each of them gets a replica."""
    async with running_cluster(tmp_path, 2) as cluster:
        config = cluster.node(1).config
        topic = ensure_internal_topic(cluster.controller, transaction_state_topic(config))

        assert [sorted(each.replicas) for each in topic.partitions] == [[1, 2]] * 4
        assert topic.configs == {
            "cleanup.policy": "compact",
            "compression.type": "uncompressed",
            "min.insync.replicas": "2",
            "segment.bytes": "104857600",
            "unclean.leader.election.enable": "false",
        }


async def test_an_id_is_coordinated_by_the_leader_of_its_partition(tmp_path: Path) -> None:
    """There is no coordinator before the topic exists."""
    async with running_cluster(tmp_path, 2) as cluster:
        ids, image = cluster.node(1).transactions.runtime, cluster.controller.image
        with pytest.raises(ApiError, match="COORDINATOR_NOT_AVAILABLE"):
            ids.coordinator("a", image)

        config = cluster.node(1).config
        topic = ensure_internal_topic(cluster.controller, transaction_state_topic(config))

        # The hash code of "a" is 97, and 97 % 4 is 1.
        assert ids.coordinator("a", image).node_id == topic.partitions[1].leader
