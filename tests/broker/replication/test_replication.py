"""The replication of one node in a cluster of three."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.replication.partition import Partition
from protocol.errors import ErrorCode
from tests.batches import batch
from tests.broker.replication.world import KEY
from tests.client import RunningCluster, running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

ALL = [(1, 2, 3)]


def _replica(cluster: RunningCluster, node_id: int) -> Partition:
    return cluster.node(node_id).replicas.partitions[KEY]


def _in_sync(cluster: RunningCluster) -> tuple[int, ...]:
    leader_state = _replica(cluster, 1).leader_state
    assert leader_state is not None
    return leader_state.isr.committed


async def _produce(cluster: RunningCluster, acks: int = -1) -> None:
    await cluster.client(1).send(produce_request("t", batch(b"a"), acks=acks), PRODUCE_VERSION)
    await trio.testing.wait_all_tasks_blocked()


async def test_followers_replicate_their_leader(tmp_path: Path) -> None:
    """They get the high watermark one fetch later."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=ALL)

        await _produce(cluster)
        assert [_replica(cluster, n).log.log_end_offset for n in (1, 2, 3)] == [1, 1, 1]
        assert [_replica(cluster, n).log.high_watermark for n in (1, 2, 3)] == [1, 0, 0]

        await trio.sleep(0.6)
        assert [_replica(cluster, n).log.high_watermark for n in (1, 2, 3)] == [1, 1, 1]


async def test_after_a_restart_all_follow_again(tmp_path: Path) -> None:
    """Nodes register one by one, and the first has the metadata before the others."""
    async with running_cluster(tmp_path, kept=True) as cluster:
        cluster.controller.create_topic("t", assignments=[(3, 1, 2)])

    async with running_cluster(tmp_path, kept=True) as cluster:
        request = produce_request("t", batch(b"a"), timeout_ms=1000)
        response = await cluster.client(3).send(request, PRODUCE_VERSION)

        assert response.responses[0].partition_responses[0].error_code == 0
        assert _replica(cluster, 1).log.log_end_offset == 1


async def test_a_paused_node_leads_but_does_not_fetch(tmp_path: Path) -> None:
    """As a follower it lags; its own partitions continue."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=ALL)
        cluster.controller.create_topic("other", assignments=[(3, 1, 2)])
        replication = cluster.node(3).replication
        replication.pause()
        assert replication.paused

        await _produce(cluster, acks=1)
        led = produce_request("other", batch(b"a"))
        await cluster.client(3).send(led, PRODUCE_VERSION)
        assert _replica(cluster, 3).log.log_end_offset == 0
        assert _replica(cluster, 2).log.log_end_offset == 1

        replication.resume()
        await trio.testing.wait_all_tasks_blocked()
        assert not replication.paused
        assert _replica(cluster, 3).log.log_end_offset == 1


async def test_in_sync_sets_are_checked_periodically(tmp_path: Path) -> None:
    """A lagging follower is removed after at most 1.5 times replica.lag.time.max.ms."""
    async with running_cluster(tmp_path, replica_lag_time_max_ms="4000") as cluster:
        cluster.controller.create_topic("t", assignments=ALL)
        await _produce(cluster)
        cluster.node(3).replication.pause()
        await _produce(cluster, acks=1)

        await trio.sleep(3.9)
        assert _in_sync(cluster) == (1, 2, 3)

        await trio.sleep(2.2)
        assert _in_sync(cluster) == (1, 2)


async def test_an_unavailable_node_is_not_alive(tmp_path: Path) -> None:
    """Fenced, or unknown."""
    async with running_cluster(tmp_path) as cluster:
        replication = cluster.node(1).replication
        assert replication.alive(2) is not None

        await cluster.cluster.stop(2)

        assert replication.alive(2) is None
        assert replication.alive(4) is None


async def test_partitions_of_other_nodes_are_known(tmp_path: Path) -> None:
    """By the node's image; a partition that does not exist is not."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(2,)])
        partitions = cluster.node(1).replication.partitions

        for topic, index, error in (
            ("t", 0, ErrorCode.NOT_LEADER_OR_FOLLOWER),
            ("t", 1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ("t", -1, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
            ("gone", 0, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        ):
            with pytest.raises(ApiError) as refused:
                partitions.get_or_error(TopicPartition(topic, index))
            assert refused.value.code is error
