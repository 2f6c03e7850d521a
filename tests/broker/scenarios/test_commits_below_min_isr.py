"""Commits of offsets while ``__consumer_offsets`` has too few replicas in sync."""

from __future__ import annotations

from pathlib import Path

import pytest
import trio

from broker.coordinators.internal_topic import ensure_internal_topic
from broker.groups.offsets_topic import offsets_topic
from protocol.errors import ErrorCode
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
)
from tests.client import Client, running_cluster

pytestmark = pytest.mark.anyio


async def _commit(client: Client, offset: int) -> int:
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata=""
    )
    topic = OffsetCommitRequestTopic(name="t", partitions=[partition])
    commit = OffsetCommitRequest(group_id="g", member_id="", topics=[topic])
    response = await client.send(commit, 8)
    return int(response.topics[0].partitions[0].error_code)


async def _committed(client: Client, *, require_stable: bool = False) -> tuple[int, list[int]]:
    topic = OffsetFetchRequestTopics(name="t", partition_indexes=[0])
    group = OffsetFetchRequestGroup(group_id="g", topics=[topic])
    request = OffsetFetchRequest(groups=[group], require_stable=require_stable)
    (found,) = (await client.send(request, 8)).groups
    offsets = [each.committed_offset for topic in found.topics for each in topic.partitions]
    return found.error_code, offsets


async def test_a_commit_below_min_isr_is_appended_and_waits(tmp_path: Path) -> None:
    """It fails after the commit timeout, and is in effect once the replicas are in sync again."""
    async with running_cluster(
        tmp_path,
        2,
        offsets_topic_num_partitions="1",
        offsets_topic_replication_factor="2",
        offsets_commit_timeout_ms="3000",
        min_insync_replicas="2",
    ) as cluster:
        cluster.controller.create_topic("t")
        image = ensure_internal_topic(cluster.controller, offsets_topic(cluster.node(1).config))
        leader = image.partitions[0].leader
        client, other = cluster.client(leader), 3 - leader
        assert await _commit(client, 1) == ErrorCode.NONE
        await cluster.cluster.stop(other)
        await trio.sleep(1)

        began = trio.current_time()
        failed = await _commit(client, 5)
        waited_s = trio.current_time() - began
        at_once = await _committed(client)
        stable = await _committed(client, require_stable=True)
        await cluster.cluster.start(other)
        await trio.sleep(5)

        assert failed == ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert waited_s == pytest.approx(3, abs=0.1)
        assert at_once == (ErrorCode.NONE, [1])
        assert stable == (ErrorCode.NOT_COORDINATOR, [])
        assert await _committed(client) == (ErrorCode.NONE, [5])
