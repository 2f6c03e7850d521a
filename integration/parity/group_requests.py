"""Short functions for requests of consumer groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

from protocol.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    TopicPartitions,
)
from protocol.messages.find_coordinator import FindCoordinatorRequest
from protocol.messages.heartbeat import HeartbeatRequest
from protocol.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from protocol.messages.leave_group import LeaveGroupRequest, MemberIdentity
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
from protocol.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment

SESSION_MS = 30_000
REBALANCE_MS = 30_000


def find_coordinator(*keys: str, key_type: int = 0) -> FindCoordinatorRequest:
    """Find the coordinator of a group (0) or a transactional id (1)."""
    return FindCoordinatorRequest(key_type=key_type, coordinator_keys=list(keys))


def join(
    group: str,
    member: str = "",
    *,
    session_ms: int = SESSION_MS,
    rebalance_ms: int = REBALANCE_MS,
    instance: str | None = None,
    kind: str = "consumer",
    protocols: Sequence[tuple[str, bytes]] = (("range", b"meta"),),
) -> JoinGroupRequest:
    """JoinGroup."""
    return JoinGroupRequest(
        group_id=group,
        session_timeout_ms=session_ms,
        rebalance_timeout_ms=rebalance_ms,
        member_id=member,
        group_instance_id=instance,
        protocol_type=kind,
        protocols=[
            JoinGroupRequestProtocol(name=name, metadata=metadata) for name, metadata in protocols
        ],
    )


def sync(
    group: str,
    member: str,
    generation: int,
    assignments: Mapping[str, bytes] | None = None,
    *,
    instance: str | None = None,
    protocol: str | None = "range",
) -> SyncGroupRequest:
    """SyncGroup; the leader sends the assignments."""
    return SyncGroupRequest(
        group_id=group,
        generation_id=generation,
        member_id=member,
        group_instance_id=instance,
        protocol_type="consumer",
        protocol_name=protocol,
        assignments=[
            SyncGroupRequestAssignment(member_id=each, assignment=assignment)
            for each, assignment in (assignments or {}).items()
        ],
    )


def heartbeat(
    group: str, member: str, generation: int, *, instance: str | None = None
) -> HeartbeatRequest:
    """Heartbeat."""
    return HeartbeatRequest(
        group_id=group, generation_id=generation, member_id=member, group_instance_id=instance
    )


def leave(group: str, *members: str) -> LeaveGroupRequest:
    """LeaveGroup."""
    return LeaveGroupRequest(
        group_id=group, members=[MemberIdentity(member_id=member) for member in members]
    )


def commit(
    group: str,
    topic: str,
    offsets: Mapping[int, int],
    *,
    member: str = "",
    generation: int = -1,
    instance: str | None = None,
    metadata: str | None = "",
    epoch: int = -1,
) -> OffsetCommitRequest:
    """OffsetCommit."""
    partitions = [
        OffsetCommitRequestPartition(
            partition_index=index,
            committed_offset=offset,
            committed_leader_epoch=epoch,
            committed_metadata=metadata,
        )
        for index, offset in offsets.items()
    ]
    return OffsetCommitRequest(
        group_id=group,
        generation_id_or_member_epoch=generation,
        member_id=member,
        group_instance_id=instance,
        topics=[OffsetCommitRequestTopic(name=topic, partitions=partitions)],
    )


def committed(
    group: str, topics: Mapping[str, Sequence[int]] | None, *, require_stable: bool = False
) -> OffsetFetchRequest:
    """OffsetFetch; all topics if none is named."""
    requested = None
    if topics is not None:
        requested = [
            OffsetFetchRequestTopics(name=name, partition_indexes=list(indexes))
            for name, indexes in topics.items()
        ]
    return OffsetFetchRequest(
        groups=[OffsetFetchRequestGroup(group_id=group, topics=requested)],
        require_stable=require_stable,
    )


def consumer_heartbeat(
    group: str,
    member: str,
    epoch: int,
    *,
    topics: Sequence[str] | None = None,
    owned: Mapping[UUID, Sequence[int]] | None = None,
    instance: str | None = None,
    regex: str | None = None,
    assignor: str | None = None,
    rebalance_ms: int = -1,
) -> ConsumerGroupHeartbeatRequest:
    """ConsumerGroupHeartbeat (KIP-848): join (epoch 0), stay, or leave (epoch -1)."""
    return ConsumerGroupHeartbeatRequest(
        group_id=group,
        member_id=member,
        member_epoch=epoch,
        instance_id=instance,
        rebalance_timeout_ms=REBALANCE_MS if epoch == 0 and rebalance_ms < 0 else rebalance_ms,
        subscribed_topic_names=None if topics is None else list(topics),
        subscribed_topic_regex=regex,
        server_assignor=assignor,
        topic_partitions=None
        if owned is None
        else [TopicPartitions(topic_id=each, partitions=list(ps)) for each, ps in owned.items()],
    )
