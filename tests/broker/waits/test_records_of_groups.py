"""Stories of groups' requests, as their records tell them."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.groups.offsets_topic import coordinator_of, ensure_offsets_topic
from broker.waits.recorder import Recorder
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from tests.broker.waits.group_members import JOIN_VERSION, first_member, join
from tests.broker.waits.records import kept_of
from tests.client import running_cluster

pytestmark = pytest.mark.anyio


async def test_a_join_that_another_member_completes_names_it(tmp_path: Path) -> None:
    """The second member waits until the first has joined again."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        first, member_id = await first_member(cluster)
        second = cluster.client(1)
        second.start(join(), JOIN_VERSION, "second")
        await trio.sleep(1)
        await first.send(join(member_id), JOIN_VERSION, "first")
        await second.receive()

        [record] = kept_of(cluster, "JoinGroup", "second")

        assert (record["purgatory"], record["timeout_ms"]) == ("Rebalance", 5000)
        assert record["waited_for"] == {"kind": "members", "group": "g"}
        assert record["parked_us"] == 1_000_000
        assert record["completed_by"] == {
            "cause": "members",
            "request": {"api": "JoinGroup", "client_id": "first", "correlation_id": 3},
        }


async def test_a_join_that_waits_in_vain_times_out(tmp_path: Path) -> None:
    """The first member does not come back."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        await first_member(cluster)

        await cluster.client(1).send(join(), JOIN_VERSION, "second")

        [record] = kept_of(cluster, "JoinGroup", "second")
        assert record["completed_by"] == {"cause": "timeout"}
        assert 5_000_000 <= record["parked_us"] <= 5_002_000


async def test_a_commit_is_released_by_the_replica_that_has_it(tmp_path: Path) -> None:
    """Its offsets are stored when the high watermark of the group's log has passed them."""
    async with running_cluster(tmp_path, 3, recorder=Recorder) as cluster:
        cluster.controller.create_topic("t")
        ensure_offsets_topic(cluster.controller, cluster.node(1).config)
        await trio.testing.wait_all_tasks_blocked()
        coordinator = coordinator_of("g", cluster.node(1).image)
        committed = OffsetCommitRequestPartition(
            partition_index=0, committed_offset=0, committed_metadata=None
        )
        topics = [OffsetCommitRequestTopic(name="t", partitions=[committed])]
        commit = OffsetCommitRequest(group_id="g", member_id="", topics=topics)

        await cluster.client(coordinator.node_id).send(commit, 5)

        [record] = kept_of(cluster, "OffsetCommit")
        assert (record["purgatory"], record["waited_for"]) == (
            "Produce",
            {"kind": "stored", "group": "g"},
        )
        assert record["completed_by"]["cause"] == "high_watermark"
        assert record["completed_by"]["request"]["api"] == "Fetch"
