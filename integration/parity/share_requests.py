"""Short functions for requests about share groups and their stored states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from protocol.messages.alter_share_group_offsets import (
    AlterShareGroupOffsetsRequest,
    AlterShareGroupOffsetsRequestPartition,
    AlterShareGroupOffsetsRequestTopic,
)
from protocol.messages.delete_share_group_offsets import (
    DeleteShareGroupOffsetsRequest,
    DeleteShareGroupOffsetsRequestTopic,
)
from protocol.messages.delete_share_group_state import (
    DeleteShareGroupStateRequest,
    DeleteStateData,
)
from protocol.messages.delete_share_group_state import PartitionData as DeletedPartition
from protocol.messages.describe_share_group_offsets import (
    DescribeShareGroupOffsetsRequest,
    DescribeShareGroupOffsetsRequestGroup,
    DescribeShareGroupOffsetsRequestTopic,
)
from protocol.messages.initialize_share_group_state import (
    InitializeShareGroupStateRequest,
    InitializeStateData,
)
from protocol.messages.initialize_share_group_state import PartitionData as InitializedPartition
from protocol.messages.read_share_group_state import PartitionData as ReadPartition
from protocol.messages.read_share_group_state import (
    ReadShareGroupStateRequest,
    ReadStateData,
    StateBatch,
)
from protocol.messages.read_share_group_state_summary import (
    PartitionData as SummarizedPartition,
)
from protocol.messages.read_share_group_state_summary import (
    ReadShareGroupStateSummaryRequest,
    ReadStateSummaryData,
)
from protocol.messages.share_group_heartbeat import ShareGroupHeartbeatRequest
from protocol.messages.write_share_group_state import (
    PartitionData as WrittenPartition,
)
from protocol.messages.write_share_group_state import (
    WriteShareGroupStateRequest,
    WriteStateData,
)

STATES = {"available": 0, "acknowledged": 2, "archived": 4}


def share_heartbeat(
    group: str, member: str, epoch: int, *, topics: Sequence[str] | None = None
) -> ShareGroupHeartbeatRequest:
    """ShareGroupHeartbeat: join (epoch 0), stay, or leave (epoch -1)."""
    return ShareGroupHeartbeatRequest(
        group_id=group,
        member_id=member,
        member_epoch=epoch,
        subscribed_topic_names=None if topics is None else list(topics),
    )


def describe_offsets(group: str, topic: str, *partitions: int) -> DescribeShareGroupOffsetsRequest:
    """DescribeShareGroupOffsets of some partitions of a topic."""
    topics = [DescribeShareGroupOffsetsRequestTopic(topic_name=topic, partitions=list(partitions))]
    asked = DescribeShareGroupOffsetsRequestGroup(group_id=group, topics=topics)
    return DescribeShareGroupOffsetsRequest(groups=[asked])


def alter_offsets(
    group: str, topic: str, offsets: Mapping[int, int]
) -> AlterShareGroupOffsetsRequest:
    """AlterShareGroupOffsets of partitions of a topic."""
    partitions = [
        AlterShareGroupOffsetsRequestPartition(partition_index=index, start_offset=offset)
        for index, offset in offsets.items()
    ]
    altered = AlterShareGroupOffsetsRequestTopic(topic_name=topic, partitions=partitions)
    return AlterShareGroupOffsetsRequest(group_id=group, topics=[altered])


def delete_offsets(group: str, *topics: str) -> DeleteShareGroupOffsetsRequest:
    """DeleteShareGroupOffsets of whole topics."""
    return DeleteShareGroupOffsetsRequest(
        group_id=group,
        topics=[DeleteShareGroupOffsetsRequestTopic(topic_name=each) for each in topics],
    )


def initialize_state(
    group: str, topic_id: UUID, partitions: Iterable[int], state_epoch: int, start_offset: int
) -> InitializeShareGroupStateRequest:
    """InitializeShareGroupState, as the group coordinator sends it; start -1: not known yet."""
    data = [
        InitializedPartition(partition=each, state_epoch=state_epoch, start_offset=start_offset)
        for each in partitions
    ]
    topics = [InitializeStateData(topic_id=topic_id, partitions=data)]
    return InitializeShareGroupStateRequest(group_id=group, topics=topics)


def write_state(
    group: str, topic_id: UUID, *batches: str, state_epoch: int = 1, start_offset: int = 0
) -> WriteShareGroupStateRequest:
    """WriteShareGroupState of partition 0, as its leader sends it: ``0-4 acknowledged 1``."""
    written = WrittenPartition(
        partition=0,
        state_epoch=state_epoch,
        leader_epoch=0,
        start_offset=start_offset,
        state_batches=list(map(_state_batch, batches)),
    )
    topics = [WriteStateData(topic_id=topic_id, partitions=[written])]
    return WriteShareGroupStateRequest(group_id=group, topics=topics)


def delete_state(group: str, topic_id: UUID, *partitions: int) -> DeleteShareGroupStateRequest:
    """DeleteShareGroupState."""
    data = [DeletedPartition(partition=each) for each in partitions]
    topics = [DeleteStateData(topic_id=topic_id, partitions=data)]
    return DeleteShareGroupStateRequest(group_id=group, topics=topics)


def read_state(
    group: str, topic_id: UUID, *partitions: int, leader_epoch: int = 0
) -> ReadShareGroupStateRequest:
    """ReadShareGroupState, as the leader of the partitions sends it."""
    data = [ReadPartition(partition=each, leader_epoch=leader_epoch) for each in partitions]
    topics = [ReadStateData(topic_id=topic_id, partitions=data)]
    return ReadShareGroupStateRequest(group_id=group, topics=topics)


def read_state_summary(
    group: str, topic_id: UUID, *partitions: int
) -> ReadShareGroupStateSummaryRequest:
    """ReadShareGroupStateSummary, as the group coordinator sends it."""
    data = [SummarizedPartition(partition=each, leader_epoch=-1) for each in partitions]
    topics = [ReadStateSummaryData(topic_id=topic_id, partitions=data)]
    return ReadShareGroupStateSummaryRequest(group_id=group, topics=topics)


def _state_batch(text: str) -> StateBatch:
    offsets, state, count = text.split()
    first, _, last = offsets.partition("-")
    return StateBatch(
        first_offset=int(first),
        last_offset=int(last or first),
        delivery_state=STATES[state],
        delivery_count=int(count),
    )
