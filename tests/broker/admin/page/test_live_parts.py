"""The parts of the live page, from a cluster."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from broker.admin.cluster_facts import ClusterFacts
from broker.admin.page import live_parts
from broker.wait_records.recorder import Recorder
from tests.batches import batch
from tests.client import RunningCluster, running_cluster
from tests.requests import FETCH_VERSION, PRODUCE_VERSION, fetch_request, produce_request
from tests.share_group import share_group

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def with_traffic(folder: Path) -> AsyncIterator[RunningCluster]:
    """Two records in a topic that node 1 leads, and a fetch that waits there."""
    async with running_cluster(folder, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t", assignments=[(1, 2)])
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"a", b"b")), PRODUCE_VERSION)
        client.start(fetch_request("t", 2, max_wait_ms=60_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        yield cluster


def rows(cluster: RunningCluster, name: str) -> tuple[int | None, list[dict[str, Any]]]:
    """The count and the rows of a part."""
    part = ClusterFacts(cluster.cluster).live_parts[name]()
    return part.count, list(part.rows)


async def test_the_requests_of_clients_are_shown(tmp_path: Path) -> None:
    """The fetches of followers are neither shown nor counted."""
    async with with_traffic(tmp_path) as cluster:
        count, found = rows(cluster, "requests")

    assert count == 1
    assert [(each["api"], each["node"], each["follower"]) for each in found] == [
        ("Fetch", 1, False)
    ]


async def test_the_number_of_rows_is_limited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The count is that of all, and each request has a limited number of partitions."""
    monkeypatch.setattr(live_parts, "REQUESTS_MAX", 2)
    monkeypatch.setattr(live_parts, "PARTITIONS_MAX", 0)
    async with with_traffic(tmp_path) as cluster:
        for _ in range(3):
            request = fetch_request("t", 2, max_wait_ms=60_000)
            cluster.client(1).start(request, FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        count, found = rows(cluster, "requests")

    assert count == 4
    assert [each["partitions"] for each in found] == [[], []]


async def test_a_request_that_ends_meanwhile_is_left_out(tmp_path: Path) -> None:
    """Its connection may have begun another one."""
    async with with_traffic(tmp_path) as cluster:
        cluster.client(1).start(fetch_request("t", 2, max_wait_ms=60_000), FETCH_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        part = ClusterFacts(cluster.cluster).live_parts["requests"]()
        first = next(part.rows)
        client = cluster.client(1)
        await client.send(produce_request("t", batch(b"c")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()

        assert first["api"] == "Fetch"
        assert list(part.rows) == []


async def test_the_latest_records_are_shown(tmp_path: Path) -> None:
    """The last one first; those of followers are left out."""
    async with with_traffic(tmp_path) as cluster:
        await cluster.client(1).send(produce_request("t", batch(b"c")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        _, found = rows(cluster, "records")

    assert {each["api"] for each in found} == {"Fetch", "Produce"}
    ends = [each["arrived_us"] + each["total_us"] for each in found]
    assert ends == sorted(ends, reverse=True)


async def test_records_may_not_be_kept(tmp_path: Path) -> None:
    """Then the count is null, and the page names the option."""
    async with running_cluster(tmp_path) as cluster:
        assert rows(cluster, "records") == (None, [])


async def test_a_timer_with_many_tasks_has_no_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its buckets would have to be read task by task."""
    monkeypatch.setattr(live_parts, "TASKS_DRAWN_MAX", 0)
    async with with_traffic(tmp_path) as cluster:
        _, found = rows(cluster, "timers")

    fetch = next(each for each in found if (each["node"], each["name"]) == (1, "Fetch"))
    assert fetch == {"node": 1, "name": "Fetch", "size": fetch["size"], "levels": None}
    assert fetch["size"] > 0
    produce = next(each for each in found if each["name"] == "Produce")
    assert produce["levels"]


async def test_the_nodes_have_their_states(tmp_path: Path) -> None:
    """A stopped node has no connections."""
    async with with_traffic(tmp_path) as cluster:
        await cluster.cluster.stop(3)
        _, found = rows(cluster, "nodes")

    assert [(each["id"], each["state"]) for each in found] == [
        (1, "running"),
        (2, "running"),
        (3, "stopped"),
    ]
    assert found[0]["connections"] > 0
    assert found[2]["connections"] is None


async def test_the_clock_has_one_row(tmp_path: Path) -> None:
    """That of GET /v1/clock."""
    async with with_traffic(tmp_path) as cluster:
        facts = ClusterFacts(cluster.cluster)
        facts.clock.freeze()
        _, found = rows(cluster, "clock")

        assert found == [facts.clock.state()]


async def test_fault_rules_are_shown(tmp_path: Path) -> None:
    """Those of GET /v1/faults, in the order in which they were set."""
    async with with_traffic(tmp_path) as cluster:
        first, second = cluster.cluster.faults.add(
            {"action": {"type": "close", "when": "before"}, "name": "first"},
            {"match": {"api": "Fetch"}, "action": {"type": "hang", "when": "after"}},
        )

        assert rows(cluster, "faults") == (2, [first.facts(), second.facts()])


@pytest.mark.parametrize("name", ["faults", "groups", "share_partitions", "transactions"])
async def test_a_cluster_may_have_none(tmp_path: Path, name: str) -> None:
    """Neither rules nor groups nor share partitions nor transactions."""
    async with with_traffic(tmp_path) as cluster:
        assert rows(cluster, name) == (0, [])


async def test_share_partitions_are_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has a limited number of batches, and their count."""
    monkeypatch.setattr(live_parts, "SHARE_PARTITIONS_MAX", 1)
    monkeypatch.setattr(live_parts, "BATCHES_MAX", 1)
    async with share_group(tmp_path, 2) as g:
        await g.produce(1, 1)
        await g.member("a").fetch(batch_size=1)
        part = ClusterFacts(g.node.cluster).live_parts["share_partitions"]()
        [row] = part.rows

    assert (part.count, row["partition"], row["acquired"]) == (2, 0, 2)
    assert (row["batch_count"], len(row["batches"])) == (2, 1)
