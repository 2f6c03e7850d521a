"""The facts of a cluster for the admin interface."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.admin.cluster_facts import ClusterFacts
from broker.admin.errors import AdminErrors
from broker.admin.facts.facts import NotServed, RequestQuery
from broker.common.errors import NoSuchNode
from broker.common.timer import TICK_MS
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.client import RunningCluster, running_cluster
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request

pytestmark = pytest.mark.anyio


async def _two_records(cluster: RunningCluster) -> ClusterFacts:
    """A topic with two records, led by node 2, with all three nodes in sync."""
    cluster.controller.create_topic("t", assignments=[(2, 3, 1)])
    await cluster.client(2).send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)
    await trio.testing.wait_all_tasks_blocked()
    return ClusterFacts(cluster.cluster)


def _partition(facts: ClusterFacts) -> dict[str, Any]:
    """The only partition."""
    [partition] = facts.partitions("t", None)
    return partition


async def test_nodes_have_their_states(tmp_path: Path) -> None:
    """All values are the same after a conversion to JSON and back."""
    async with running_cluster(tmp_path) as cluster:
        facts = await _two_records(cluster)
        cluster.cluster.pause(1)
        await cluster.cluster.stop(3)

        state = await facts.cluster()

        assert [(n["id"], n["port"], n["state"]) for n in state["nodes"]] == [
            (1, 9092, "paused"),
            (2, 9093, "running"),
            (3, 9094, "stopped"),
        ]
        assert json.loads(json.dumps(state)) == state


async def test_a_partition_has_the_offsets_of_its_leader(tmp_path: Path) -> None:
    """Each replica has its own offsets, which its leader may not know yet."""
    async with running_cluster(tmp_path) as cluster:
        facts = await _two_records(cluster)
        await trio.sleep(0.2)

        partition = _partition(facts)

        assert (partition["leader"], partition["leader_epoch"], partition["isr"]) == (
            2,
            0,
            [2, 3, 1],
        )
        assert (partition["high_watermark"], partition["log_end_offset"]) == (2, 2)
        assert [
            (r["node"], r["log_end_offset"], r["high_watermark"], r["in_sync"], r["alive"])
            for r in partition["replicas"]
        ] == [(2, 2, 2, True, True), (3, 2, 0, True, True), (1, 2, 0, True, True)]
        assert [r["caught_up_ms_ago"] for r in partition["replicas"]] == [None, 200, 200]


async def test_a_stopped_replica_has_no_offsets(tmp_path: Path) -> None:
    """Nor has a partition without a leader."""
    async with running_cluster(tmp_path) as cluster:
        facts = await _two_records(cluster)
        await cluster.cluster.stop(1)

        away = _partition(facts)["replicas"][2]
        assert (away["alive"], away["in_sync"], away["log_end_offset"]) == (False, False, None)

        for node_id in (3, 2):
            await cluster.cluster.stop(node_id)
        partition = _partition(facts)
        assert (partition["leader"], partition["high_watermark"]) == (-1, None)


async def test_a_follower_that_never_fetched_was_never_caught_up(tmp_path: Path) -> None:
    """The value is None, not infinity, which JSON does not have."""
    async with running_cluster(tmp_path, replica_lag_time_max_ms="2000") as cluster:
        facts = await _two_records(cluster)
        await cluster.cluster.stop(1)
        await cluster.cluster.stop(2)

        partition = _partition(facts)

        assert partition["leader"] == 3
        assert [r["caught_up_ms_ago"] for r in partition["replicas"]] == [None, None, None]


async def test_parked_requests_are_selected_by_a_query(tmp_path: Path) -> None:
    """By API, client and topic, with followers on request; the longest waiting first."""
    async with running_cluster(tmp_path) as cluster:
        facts = await _two_records(cluster)
        waiting = []
        for name in ("one", "other"):
            waiting.append(cluster.client(2))
            request = fetch_request("t", 2, max_wait_ms=60_000)
            waiting[-1].start(request, FETCH_VERSION, client_id=name)
            await trio.sleep(0.01)

        def found(**query: Any) -> list[str]:
            selected = RequestQuery(parked=True, **query)
            return [each["client_id"] for each in facts.requests(selected)]

        assert found() == ["one", "other"]
        assert found(client="other", topic="t", api="Fetch") == ["other"]
        assert found(api="Produce") == found(topic="x") == []
        assert found(limit=1) == ["one"]
        assert len(found(followers=True)) == 4


async def test_completed_requests_are_refused_without_recording(tmp_path: Path) -> None:
    """They are kept only if the broker records requests."""
    async with running_cluster(tmp_path) as cluster:
        with pytest.raises(NotServed):
            ClusterFacts(cluster.cluster).requests(RequestQuery())


async def test_changes_of_nodes_reach_the_cluster(tmp_path: Path) -> None:
    """Exceptions of the cluster are raised unchanged."""
    async with running_cluster(tmp_path) as cluster:
        facts = ClusterFacts(cluster.cluster)
        seen = []
        for change in (facts.pause, facts.resume):
            change(1)
            seen.append(cluster.cluster.members[1].state)
        for waited in (facts.stop, facts.start):
            await waited(1)
            seen.append(cluster.cluster.members[1].state)

        assert seen == ["paused", "running", "stopped", "running"]
        with pytest.raises(NoSuchNode):
            facts.pause(7)


async def test_statistics_are_those_of_the_running_nodes(tmp_path: Path) -> None:
    """A stopped node has no statistics."""
    async with running_cluster(tmp_path) as cluster:
        await cluster.cluster.stop(2)

        statistics = ClusterFacts(cluster.cluster).statistics()

        assert [node["id"] for node in statistics["nodes"]] == [1, 3]


async def test_timers_of_the_running_nodes_have_snapshots(tmp_path: Path) -> None:
    """Each purgatory has its timer; a node has one more, and one for the locks of share groups."""
    async with running_cluster(tmp_path) as cluster:
        await cluster.cluster.stop(2)

        timers = ClusterFacts(cluster.cluster).timers()["timers"]

        assert {timer["node"] for timer in timers} == {1, 3}
        names = {timer["name"] for timer in timers}
        purgatories = {"Produce", "Fetch", "DeleteRecords", "ShareFetch", "Rebalance", "Heartbeat"}
        assert names == {"node", "share-group-lock-timeout", *purgatories}
        assert all(timer["levels"][0]["tick_ms"] == TICK_MS for timer in timers)


async def test_errors_of_the_admin_interface_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They do not belong to a node."""
    monkeypatch.delenv("ANTECHAMBER_STRICT", raising=False)
    async with running_cluster(tmp_path) as cluster:
        errors = AdminErrors()
        facts = ClusterFacts(cluster.cluster, errors=errors)

        errors.report("a request", ZeroDivisionError())

        assert facts.statistics()["admin"] == {"unexpected_errors": 1}


async def test_groups_are_listed(tmp_path: Path) -> None:
    """There are none here."""
    async with running_cluster(tmp_path) as cluster:
        assert ClusterFacts(cluster.cluster).groups() == []


async def test_completed_requests_are_listed_the_last_one_first(tmp_path: Path) -> None:
    """As wait records."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        client = cluster.client(1)
        for name in ("first", "second"):
            await client.send(produce_request("t", batch(b"a")), PRODUCE_VERSION, name)

        found = ClusterFacts(cluster.cluster).requests(RequestQuery(api="Produce"))

        assert [each["client_id"] for each in found] == ["second", "first"]


async def test_sessions_are_those_of_all_nodes(tmp_path: Path) -> None:
    """There are none here."""
    async with running_cluster(tmp_path) as cluster:
        assert ClusterFacts(cluster.cluster).sessions(None, 10) == {"sessions": []}
