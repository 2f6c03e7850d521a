"""The partitions of the live page."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio.testing

from broker.admin.page import live_partitions
from broker.admin.page.live_partitions import partition_part
from tests.batches import batch
from tests.client import running_cluster
from tests.requests import PRODUCE_VERSION, produce_request

pytestmark = pytest.mark.anyio


async def test_each_replica_has_its_offsets(tmp_path: Path) -> None:
    """They are null if its node does not run."""
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("t", assignments=[(2, 3)])
        await cluster.client(2).send(produce_request("t", batch(b"a")), PRODUCE_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        await cluster.cluster.stop(3)
        [partition] = partition_part(cluster.cluster).rows

    leader, follower = partition["replicas"]
    assert (partition["topic"], partition["leader"]) == ("t", 2)
    assert leader == {
        "node": 2,
        "log_start_offset": 0,
        "last_stable_offset": 1,
        "high_watermark": 1,
        "log_end_offset": 1,
    }
    assert follower["node"] == 3
    assert follower["log_end_offset"] is None


async def test_internal_topics_are_the_last_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that the limit leaves them out before others; the count is that of all."""
    monkeypatch.setattr(live_partitions, "PARTITIONS_MAX", 3)
    async with running_cluster(tmp_path) as cluster:
        cluster.controller.create_topic("__consumer_offsets", assignments=[(1,), (1,)])
        cluster.controller.create_topic("b", assignments=[(1,)])
        cluster.controller.create_topic("a", assignments=[(1,)])
        await trio.testing.wait_all_tasks_blocked()
        part = partition_part(cluster.cluster)
        found = [(each["topic"], each["internal"]) for each in part.rows]

    assert part.count == 4
    assert found == [("a", False), ("b", False), ("__consumer_offsets", True)]
