"""Internal topics that grow: each node keeps the partition count of its start, as in Kafka."""

from __future__ import annotations

import base64
from pathlib import Path
from uuid import UUID

import pytest
import trio

from broker.common.topic_partition import TopicPartition
from broker.controller.metadata.image import (
    GROUP_METADATA_TOPIC,
    SHARE_GROUP_STATE_TOPIC,
    TRANSACTION_STATE_TOPIC,
)
from protocol.errors import ErrorCode
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.init_producer_id import InitProducerIdRequest
from protocol.messages.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
    PartitionData,
)
from protocol.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from protocol.messages.offset_fetch import OffsetFetchRequest, OffsetFetchRequestGroup
from protocol.messages.read_share_group_state_summary import (
    PartitionData as SummaryPartition,
)
from protocol.messages.read_share_group_state_summary import (
    ReadShareGroupStateSummaryRequest,
    ReadStateSummaryData,
)
from tests.client import RunningCluster, running_cluster

pytestmark = pytest.mark.anyio

GROUPS = [f"g{number}" for number in range(6)]
GROUP, TRANSACTION, SHARE = range(3)
_ATTEMPTS_MAX = 50


async def find(cluster: RunningCluster, key_type: int, key: str) -> int:
    """Return the coordinator when there is one."""
    request = FindCoordinatorRequest(key_type=key_type, coordinator_keys=[key])
    for _ in range(_ATTEMPTS_MAX):
        (found,) = (await cluster.client(1).send(request)).coordinators
        if found.error_code == ErrorCode.NONE:
            node_id: int = found.node_id
            return node_id
        await trio.sleep(0.1)
    raise AssertionError(found)


async def commit(cluster: RunningCluster, group_id: str, offset: int) -> ErrorCode:
    """Commit an offset of t-0 at the coordinator of the group."""
    partition = OffsetCommitRequestPartition(
        partition_index=0, committed_offset=offset, committed_metadata=""
    )
    request = OffsetCommitRequest(
        group_id=group_id,
        generation_id_or_member_epoch=-1,
        member_id="",
        topics=[OffsetCommitRequestTopic(name="t", partitions=[partition])],
    )
    client = cluster.client(await find(cluster, GROUP, group_id))
    response = await client.send(request, 9)
    error: ErrorCode = response.topics[0].partitions[0].error_code
    return error


async def commit_all(cluster: RunningCluster, first: int) -> None:
    """Commit an offset for each group, from *first* on."""
    for offset, group_id in enumerate(GROUPS, first):
        assert await commit(cluster, group_id, offset) == ErrorCode.NONE


async def fetch(cluster: RunningCluster, group_id: str) -> int | None:
    """The offset of t-0; None if the group has none."""
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group_id=group_id, topics=None)])
    client = cluster.client(await find(cluster, GROUP, group_id))
    (group,) = (await client.send(request, 9)).groups
    assert group.error_code == ErrorCode.NONE
    if not group.topics:
        return None
    offset: int = group.topics[0].partitions[0].committed_offset
    return offset


async def fetch_all(cluster: RunningCluster) -> list[int | None]:
    """The offsets of all groups."""
    return [await fetch(cluster, group_id) for group_id in GROUPS]


async def grow(cluster: RunningCluster, topic: str, count: int) -> None:
    """Create partitions and let all nodes load them."""
    cluster.controller.create_partitions(topic, count)
    await trio.sleep(1)


async def restart(cluster: RunningCluster) -> None:
    """Stop the only node and start it."""
    await cluster.cluster.stop(1)
    await cluster.cluster.start(1)
    await trio.sleep(1)


async def test_groups_stay_in_their_partition(tmp_path: Path) -> None:
    """No offset is lost and all groups have a coordinator, also after their partition has moved."""
    async with running_cluster(tmp_path, 2, offsets_topic_num_partitions="1") as cluster:
        cluster.controller.create_topic("t")
        await commit_all(cluster, 0)

        await grow(cluster, GROUP_METADATA_TOPIC, 5)
        assert await fetch_all(cluster) == [0, 1, 2, 3, 4, 5]

        await commit_all(cluster, 10)
        leader = await find(cluster, GROUP, "g0")
        cluster.controller.reassign(TopicPartition(GROUP_METADATA_TOPIC, 0), [3 - leader])
        await trio.sleep(1)

        assert await find(cluster, GROUP, "g0") == 3 - leader
        assert await fetch_all(cluster) == [10, 11, 12, 13, 14, 15]


async def test_a_grown_topic_is_deleted_and_created_again(tmp_path: Path) -> None:
    """The groups begin without offsets."""
    async with running_cluster(tmp_path, 1, offsets_topic_num_partitions="1") as cluster:
        cluster.controller.create_topic("t")
        await commit_all(cluster, 0)
        await grow(cluster, GROUP_METADATA_TOPIC, 3)

        cluster.controller.delete_topic(GROUP_METADATA_TOPIC)
        await trio.sleep(1)

        assert await fetch_all(cluster) == [None] * 6
        await commit_all(cluster, 7)
        assert await fetch_all(cluster) == [7, 8, 9, 10, 11, 12]


async def test_a_topic_with_fewer_partitions_than_the_count_lacks_coordinators(
    tmp_path: Path,
) -> None:
    """COORDINATOR_NOT_AVAILABLE for the groups of the other partitions, as in Kafka."""
    async with running_cluster(tmp_path, 1, offsets_topic_num_partitions="4") as cluster:
        cluster.controller.create_topic(GROUP_METADATA_TOPIC, partitions=2)
        await trio.sleep(1)

        # The hash codes of "a" and "d" are 97 and 100.
        request = FindCoordinatorRequest(key_type=GROUP, coordinator_keys=["a", "c", "d"])
        found = (await cluster.client(1).send(request)).coordinators

        lacking = ErrorCode.COORDINATOR_NOT_AVAILABLE
        assert [each.error_code for each in found] == [ErrorCode.NONE, lacking, ErrorCode.NONE]


async def test_a_node_that_starts_again_uses_the_grown_count(tmp_path: Path) -> None:
    """Groups whose partition is another one now begin without offsets; the others keep theirs."""
    async with running_cluster(tmp_path, 1, offsets_topic_num_partitions="1") as cluster:
        cluster.controller.create_topic("t")
        await commit_all(cluster, 0)
        await grow(cluster, GROUP_METADATA_TOPIC, 5)
        await restart(cluster)

        runtime = cluster.node(1).groups.runtime
        kept = [runtime.partition_for(group_id) == 0 for group_id in GROUPS]
        assert any(kept)
        assert not all(kept)
        assert await fetch_all(cluster) == [
            offset if is_kept else None for offset, is_kept in enumerate(kept)
        ]

        await commit_all(cluster, 10)
        await restart(cluster)
        assert await fetch_all(cluster) == [10, 11, 12, 13, 14, 15]


async def init(cluster: RunningCluster, transactional_id: str) -> tuple[ErrorCode, int]:
    """Begin a session; the error and the epoch."""
    node_id = await find(cluster, TRANSACTION, transactional_id)
    request = InitProducerIdRequest(
        transactional_id=transactional_id, transaction_timeout_ms=10_000
    )
    response = await cluster.client(node_id).send(request, 4)
    return response.error_code, response.producer_epoch


async def test_transactional_ids_keep_their_producers(tmp_path: Path) -> None:
    """After a restart, ids whose partition is another one now get new producers."""
    ids = ["tx", "ty", "tz"]
    async with running_cluster(tmp_path, 1, transaction_state_log_num_partitions="1") as cluster:
        assert [await init(cluster, each) for each in ids] == [(ErrorCode.NONE, 0)] * 3

        await grow(cluster, TRANSACTION_STATE_TOPIC, 7)
        assert [await init(cluster, each) for each in ids] == [(ErrorCode.NONE, 1)] * 3

        await restart(cluster)
        states = cluster.node(1).transactions.states
        kept = [states.runtime.partition_for(each) == 0 for each in ids]
        assert any(kept)
        assert not all(kept)
        assert len(list(states.all_entries())) == sum(kept)
        assert [await init(cluster, each) for each in ids] == [
            (ErrorCode.NONE, 2 if is_kept else 0) for is_kept in kept
        ]


async def start_offsets(cluster: RunningCluster, topic_id: UUID) -> list[int]:
    """The start offsets of the share partitions of a topic."""
    found = []
    for partition in range(6):
        data = ReadStateSummaryData(
            topic_id=topic_id, partitions=[SummaryPartition(partition=partition, leader_epoch=0)]
        )
        request = ReadShareGroupStateSummaryRequest(group_id="g", topics=[data])
        ((result,),) = [each.partitions for each in (await cluster.client(1).send(request)).results]
        assert result.error_code == ErrorCode.NONE
        found.append(result.start_offset)
    return found


async def test_share_partitions_keep_their_states(tmp_path: Path) -> None:
    """After a restart, share partitions whose partition is another one now have none."""
    async with running_cluster(
        tmp_path, 1, share_coordinator_state_topic_num_partitions="2"
    ) as cluster:
        topic_id = cluster.controller.create_topic("t", partitions=6).topic_id
        text = base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")
        await find(cluster, SHARE, f"g:{text}:0")
        await trio.sleep(1)
        for partition in range(6):
            part = PartitionData(partition=partition, state_epoch=5, start_offset=10 + partition)
            data = InitializeStateData(topic_id=topic_id, partitions=[part])
            await cluster.client(1).send(
                InitializeShareGroupStateRequest(group_id="g", topics=[data])
            )

        await grow(cluster, SHARE_GROUP_STATE_TOPIC, 9)
        assert await start_offsets(cluster, topic_id) == [10, 11, 12, 13, 14, 15]

        runtime = cluster.node(1).share_groups.coordinator.runtime
        before = [runtime.partition_for(f"g:{text}:{partition}") for partition in range(6)]
        await restart(cluster)
        runtime = cluster.node(1).share_groups.coordinator.runtime
        after = [runtime.partition_for(f"g:{text}:{partition}") for partition in range(6)]
        assert before != after
        assert await start_offsets(cluster, topic_id) == [
            10 + partition if before[partition] == after[partition] else -1
            for partition in range(6)
        ]
