"""The records of group requests."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio
import trio.testing

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import GROUP_METADATA_TOPIC
from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from broker.wait_records.recorder import Recorder
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_delete import OffsetDeleteRequest
from tests.broker.wait_records.group_members import JOIN_VERSION, first_member, join
from tests.broker.wait_records.records import kept_of
from tests.client import RunningCluster, running_cluster

pytestmark = pytest.mark.anyio

COMMIT_VERSION = 5


async def test_a_join_that_another_member_completes_names_it(tmp_path: Path) -> None:
    """The second member waits until the first member has joined again."""
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


async def test_a_join_has_the_cause_timeout_if_a_member_does_not_join(tmp_path: Path) -> None:
    """The first member does not join again within the rebalance timeout."""
    async with running_cluster(tmp_path, 1, recorder=Recorder) as cluster:
        await first_member(cluster)

        await cluster.client(1).send(join(), JOIN_VERSION, "second")

        [record] = kept_of(cluster, "JoinGroup", "second")
        assert record["completed_by"] == {"cause": "timeout"}
        assert 5_000_000 <= record["parked_us"] <= 5_002_000


async def test_a_commit_is_completed_by_a_replica(tmp_path: Path) -> None:
    """Its offsets are stored when the high watermark of the group's log has passed them."""
    async with running_cluster(
        tmp_path, 3, recorder=Recorder, offsets_topic_num_partitions="1"
    ) as cluster:
        await cluster.client(await _coordinator(cluster)).send(_commit(), COMMIT_VERSION)

        [record] = kept_of(cluster, "OffsetCommit")
        assert (record["purgatory"], record["waited_for"]) == (
            "Produce",
            {"kind": "stored", "group": "g"},
        )
        by = record["completed_by"]
        assert (by["cause"], by["topic"]) == ("high_watermark", GROUP_METADATA_TOPIC)
        assert by["request"]["client_id"] == f"node-{by['replica']}"


async def test_a_commit_is_completed_by_a_smaller_in_sync_set(tmp_path: Path) -> None:
    """The high watermark moved without a fetch of a replica."""
    async with running_cluster(
        tmp_path,
        3,
        recorder=Recorder,
        replica_lag_time_max_ms="2000",
        offsets_topic_num_partitions="1",
    ) as cluster:
        coordinator = await _coordinator(cluster)
        _pause_all_but(cluster, coordinator)
        await cluster.client(coordinator).send(_commit(), COMMIT_VERSION)

        [record] = kept_of(cluster, "OffsetCommit")
        by = record["completed_by"]
        assert (by["cause"], by["topic"]) == ("high_watermark", GROUP_METADATA_TOPIC)
        assert not {"request", "replica"} & set(by)
        assert 2_000_000 <= record["parked_us"] < 5_000_000


async def test_a_commit_that_is_not_replicated_has_the_cause_timeout(tmp_path: Path) -> None:
    """After offsets.commit.timeout.ms."""
    async with running_cluster(
        tmp_path, 3, recorder=Recorder, offsets_topic_num_partitions="1"
    ) as cluster:
        coordinator = await _coordinator(cluster)
        _pause_all_but(cluster, coordinator)
        await cluster.client(coordinator).send(_commit(), COMMIT_VERSION)

        [record] = kept_of(cluster, "OffsetCommit")
        assert record["completed_by"] == {"cause": "timeout"}
        assert record["timeout_ms"] == 5000
        assert 5_000_000 <= record["parked_us"] <= 5_002_000


async def test_a_move_of_the_coordinator_has_the_cause_leadership(tmp_path: Path) -> None:
    """Of a commit, and of a deletion of offsets that waits although it has written nothing."""
    async with running_cluster(
        tmp_path, 3, recorder=Recorder, offsets_topic_num_partitions="1"
    ) as cluster:
        coordinator = await _coordinator(cluster)
        _pause_all_but(cluster, coordinator)
        committer, deleter = cluster.client(coordinator), cluster.client(coordinator)
        committer.start(_commit(), COMMIT_VERSION)
        await trio.testing.wait_all_tasks_blocked()
        deleter.start(OffsetDeleteRequest(group_id="g", topics=[]), 0)
        await trio.testing.wait_all_tasks_blocked()

        others = tuple(node for node in (1, 2, 3) if node != coordinator)
        cluster.controller.reassign(TopicPartition(GROUP_METADATA_TOPIC, 0), others)
        await committer.receive()
        await deleter.receive()

        for api in ("OffsetCommit", "OffsetDelete"):
            [record] = kept_of(cluster, api)
            assert record["waited_for"] == {"kind": "stored", "group": "g"}
            by = record["completed_by"]
            assert by == {"cause": "leadership", "topic": GROUP_METADATA_TOPIC, "partition": 0}


async def test_the_sync_of_a_group_leader_waits_for_the_log(tmp_path: Path) -> None:
    """Not for members: a follower's fetch of the assignment completes it."""
    async with running_cluster(
        tmp_path, 3, recorder=Recorder, offsets_topic_num_partitions="1"
    ) as cluster:
        await first_member(cluster, await _coordinator(cluster))

        [record] = kept_of(cluster, "SyncGroup", "first")
        assert record["waited_for"] == {"kind": "stored", "group": "g"}
        assert record["completed_by"]["cause"] == "high_watermark"
        assert record["completed_by"]["request"]["api"] == "Fetch"


async def _coordinator(cluster: RunningCluster) -> int:
    """The coordinator of the group, after a topic was created."""
    cluster.controller.create_topic("t")
    ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
    await trio.testing.wait_all_tasks_blocked()
    node = cluster.node(1)
    return node.groups.runtime.coordinator("g", node.image).node_id


def _pause_all_but(cluster: RunningCluster, coordinator: int) -> None:
    """Pause the other two nodes."""
    for node_id in {1, 2, 3} - {coordinator}:
        cluster.cluster.pause(node_id)


def _commit() -> OffsetCommitRequest:
    """A commit of one partition."""
    committed = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=0, committed_metadata=None
    )
    topics = [OffsetCommitRequestTopic(name="t", partitions=[committed])]
    return OffsetCommitRequest(group_id="g", member_id="", topics=topics)
