"""The requests that are parked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.node import Node
from broker.security.principal import user
from broker.security.session import Session
from protocol.messages.delete_records import (
    DeleteRecordsPartition,
    DeleteRecordsRequest,
    DeleteRecordsTopic,
)
from protocol.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from tests.batches import batch
from tests.broker.wait_records.group_members import JOIN_VERSION, join
from tests.client import RunningCluster, running_cluster, running_node
from tests.parked import parked_on
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio

FETCH_VERSION = 12


def _clients(node: Node) -> list[dict[str, Any]]:
    """The parked requests without the fetches of followers."""
    return [facts for facts in parked_on(node) if not facts["follower"]]


def _fetch(topic: str, offset: int, *, min_bytes: int, max_wait_ms: int) -> FetchRequest:
    """A fetch of one partition."""
    wanted = FetchPartition(partition=0, fetch_offset=offset, partition_max_bytes=1 << 20)
    return FetchRequest(
        max_wait_ms=max_wait_ms,
        min_bytes=min_bytes,
        topics=[FetchTopic(topic=topic, partitions=[wanted])],
    )


async def _two_records(cluster: RunningCluster) -> Node:
    """A topic of three replicas with two records on all of them, led by the node returned."""
    cluster.controller.create_topic("t", partitions=1, replication_factor=3)
    topic = cluster.controller.topic("t")
    assert topic is not None
    leader = topic.partitions[0].leader
    await cluster.client(leader).send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)
    await trio.testing.wait_all_tasks_blocked()
    return cluster.node(leader)


async def test_a_parked_fetch_has_the_bytes_needed_and_available(tmp_path: Path) -> None:
    """With its client, the time of its wait and what is left of the timeout."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t")
        records = batch(b"a")
        client = running.client()
        await client.send(produce_request("t", records), PRODUCE_VERSION)
        client.start(_fetch("t", 0, min_bytes=1000, max_wait_ms=5000), FETCH_VERSION, "reader")
        await trio.sleep(1)

        [facts] = parked_on(running.node)

        assert (facts["api"], facts["version"], facts["client_id"]) == ("Fetch", 12, "reader")
        assert (facts["parked_us"], facts["timeout_ms"], facts["remaining_ms"]) == (
            1_000_000,
            5000,
            4000,
        )
        assert facts["purgatory"] == "Fetch"
        assert facts["waited_for"] == {"kind": "min_bytes", "need": 1000, "had": len(records)}
        assert facts["partitions"] == [{"topic": "t", "partition": 0, "offset": 0}]


async def test_a_parked_request_has_the_principal_and_listener_of_its_client(
    tmp_path: Path,
) -> None:
    """Those of the connection when the request arrived."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t")
        client = running.client()
        await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        [connection] = running.node.connections
        connection.session = Session(user("alice"), listener="CLIENTS")
        client.start(_fetch("t", 1, min_bytes=1, max_wait_ms=5000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        [facts] = parked_on(running.node)

        assert (facts["principal"], facts["listener"]) == ("User:alice", "CLIENTS")


async def test_a_request_after_another_has_its_whole_timeout(tmp_path: Path) -> None:
    """The timeout begins when the request is handled, not when it is read."""
    async with running_node(tmp_path) as running:
        running.controller.create_topic("t")
        client = running.client()
        for _ in range(2):
            client.start(_fetch("t", 0, min_bytes=1, max_wait_ms=500), FETCH_VERSION)
        await trio.sleep(0.7)

        [facts] = parked_on(running.node)

        assert (facts["correlation_id"], facts["parked_us"]) == (2, 700_000)
        assert 290 <= facts["remaining_ms"] <= 302


async def test_a_parked_produce_has_the_progress_of_its_replicas(tmp_path: Path) -> None:
    """The offset needed, and the log end of each replica as the leader knows it."""
    async with running_cluster(tmp_path) as cluster:
        leader = await _two_records(cluster)
        [slow, quick] = [n for n in (1, 2, 3) if n != leader.id]
        cluster.cluster.pause(slow)
        client = cluster.client(leader.id)
        client.start(produce_request("t", batch(b"c"), timeout_ms=30_000), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        [facts] = _clients(leader)

        [partition] = facts["partitions"]
        assert (partition["offset"], partition["needed_offset"]) == (2, 3)
        assert {r["node"]: r["log_end_offset"] for r in partition["replicas"]} == {
            leader.id: 3,
            quick: 3,
            slow: 2,
        }
        assert facts["waited_for"] == {
            "kind": "high_watermark",
            "topic": "t",
            "partition": 0,
            "need": 3,
            "had": 2,
            "behind": [slow],
            "behind_at": [2],
        }


async def test_a_parked_join_has_the_time_left_of_its_rebalance(tmp_path: Path) -> None:
    """At most the rebalance timeout, from the first join on."""
    async with running_cluster(tmp_path, 1, group_initial_rebalance_delay_ms="3000") as cluster:
        node = cluster.node(1)
        ensure_internal_topic(cluster.controller, offsets_topic(node.config))
        cluster.client(1).start(join(), JOIN_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        await trio.sleep(1)

        [facts] = parked_on(node)

        assert (facts["api"], facts["purgatory"]) == ("JoinGroup", "Rebalance")
        assert facts["waited_for"] == {"kind": "members", "group": "g"}
        assert facts["timeout_ms"] == join().rebalance_timeout_ms
        assert facts["timeout_ms"] - 1000 <= facts["remaining_ms"] <= facts["timeout_ms"] - 998


async def test_a_parked_deletion_has_the_low_watermark(tmp_path: Path) -> None:
    """The log start of a paused follower does not move."""
    async with running_cluster(tmp_path) as cluster:
        leader = await _two_records(cluster)
        cluster.cluster.pause(next(n for n in (1, 2, 3) if n != leader.id))
        wanted = DeleteRecordsPartition(partition_index=0, offset=1)
        topic = DeleteRecordsTopic(name="t", partitions=[wanted])
        client = cluster.client(leader.id)
        client.start(DeleteRecordsRequest(topics=[topic], timeout_ms=9000))
        await trio.testing.wait_all_tasks_blocked()

        [facts] = _clients(leader)

        assert facts["purgatory"] == "DeleteRecords"
        assert facts["waited_for"] == {
            "kind": "low_watermark",
            "topic": "t",
            "partition": 0,
            "need": 1,
            "had": 0,
        }
