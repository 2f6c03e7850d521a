"""Transactions in a cluster of three nodes: followers, and changes of the leader."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.replication.partition import Partition
from broker.storage.indexes.transaction_index import AbortedTxn
from protocol.errors import ErrorCode
from tests.broker.replication.world import KEY
from tests.broker.storage.logs import marker, transactional
from tests.client import RunningCluster, running_cluster

pytestmark = pytest.mark.anyio

ALL = [(1, 2, 3)]


def replica(cluster: RunningCluster, node_id: int) -> Partition:
    return cluster.node(node_id).replicas.partitions[KEY]


def stable_offsets(cluster: RunningCluster, *nodes: int) -> list[tuple[int, int]]:
    """The last stable offset and the log end offset of each replica."""
    logs = [replica(cluster, node).log for node in nodes]
    return [(log.last_stable_offset, log.log_end_offset) for log in logs]


async def begin(cluster: RunningCluster, node_id: int) -> None:
    """Producer 7 begins a transaction on the leader, and the followers replicate it."""
    replicas = cluster.node(node_id).replicas
    guard = replica(cluster, node_id).maybe_start_transaction_verification(7, 0, 0, True)
    sent = {KEY: transactional(0, 0, 7)}
    replicas.append_records(1000, 1, sent, 13, lambda _: None, {KEY: guard})
    replicas.actions.try_complete_actions()
    await trio.sleep(1.2)


def mark(cluster: RunningCluster, node_id: int, *, abort: bool) -> list[ErrorCode]:
    """Write the marker; the list gets its result."""
    results: list[ErrorCode] = []
    replicas = cluster.node(node_id).replicas
    sent = {KEY: marker(0, 7, epoch=1, abort=abort)}
    replicas.append_markers(30_000, sent, 2, lambda errors: results.append(errors[KEY]))
    replicas.actions.try_complete_actions()
    return results


async def test_each_replica_has_the_aborted_transaction(tmp_path: Path) -> None:
    """Its own index, producers and last stable offset, without requests to the leader."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=ALL)
        await begin(cluster, 1)
        assert stable_offsets(cluster, 1, 2, 3) == [(0, 2)] * 3

        results = mark(cluster, 1, abort=True)
        await trio.sleep(1.2)

        assert results == [ErrorCode.NONE]
        assert stable_offsets(cluster, 1, 2, 3) == [(3, 3)] * 3
        for node in (1, 2, 3):
            log = replica(cluster, node).log
            assert log.aborted_transactions(0, 3) == [AbortedTxn(7, 0, 2, 3)]


async def test_a_marker_that_is_not_replicated_moves_nothing(tmp_path: Path) -> None:
    """A paused follower in the in-sync set holds the last stable offset back."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=ALL)
        await begin(cluster, 1)
        cluster.cluster.pause(3)

        results = mark(cluster, 1, abort=False)
        await trio.sleep(1.2)
        assert (stable_offsets(cluster, 1), results) == ([(0, 3)], [])
        cluster.cluster.resume(3)
        await trio.sleep(1.2)

        assert (stable_offsets(cluster, 1), results) == ([(3, 3)], [ErrorCode.NONE])


async def test_a_new_leader_ends_the_transaction(tmp_path: Path) -> None:
    """Its producer state is from the replicated batches."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=ALL)
        await begin(cluster, 1)
        await cluster.cluster.stop(1)
        await trio.testing.wait_all_tasks_blocked()
        assert replica(cluster, 2).is_leader

        results = mark(cluster, 2, abort=True)
        await trio.sleep(1.2)

        assert results == [ErrorCode.NONE]
        assert stable_offsets(cluster, 2, 3) == [(3, 3)] * 2


async def test_a_marker_that_the_new_leader_lacks_is_truncated(tmp_path: Path) -> None:
    """The transaction is open again on the old leader, and ends as the new leader decides."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=ALL)
        await begin(cluster, 1)
        for follower in (2, 3):
            cluster.cluster.pause(follower)
        mark(cluster, 1, abort=False)
        await cluster.cluster.stop(1)
        for follower in (2, 3):
            cluster.cluster.resume(follower)
        await trio.testing.wait_all_tasks_blocked()
        assert stable_offsets(cluster, 2) == [(0, 2)]

        mark(cluster, 2, abort=True)
        await cluster.cluster.start(1)
        await trio.sleep(1.2)

        assert stable_offsets(cluster, 1, 2) == [(3, 3)] * 2
        log = replica(cluster, 1).log
        assert log.aborted_transactions(0, 3) == [AbortedTxn(7, 0, 2, 3)]
