"""Records of share groups (KIP-932): group, members, assignments, initialized share partitions."""

from __future__ import annotations

from protocol.schema import int8, int32, int64, message, since, string, struct, uuid

# ------------------------------------------------------------------------------------- the group


@message(11, versions=(0, 0))
class ShareGroupMetadataKey:
    """The group."""

    group_id: string


@message(11, versions=(0, 0), flexible=0)
class ShareGroupMetadataValue:
    """The group epoch, and the hash of the topics that were subscribed then (KIP-1101)."""

    epoch: int32
    metadata_hash: int64


@message(15, versions=(0, 0))
class ShareGroupStatePartitionMetadataKey:
    """The group."""

    group_id: string


@message(15, versions=(0, 0), flexible=0)
class ShareGroupStatePartitionMetadataValue:
    """The partitions whose state the share coordinator initializes, has, or deletes."""

    initializing_topics: list[TopicPartitionsInfo]
    initialized_topics: list[TopicPartitionsInfo]
    deleting_topics: list[TopicInfo]


@struct
class TopicPartitionsInfo:
    """Partitions of a topic."""

    topic_id: uuid
    topic_name: string
    partitions: list[int32]


@struct
class TopicInfo:
    """A topic."""

    topic_id: uuid
    topic_name: string


# ----------------------------------------------------------------------------------- the members


@message(10, versions=(0, 0))
class ShareGroupMemberMetadataKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(10, versions=(0, 0), flexible=0)
class ShareGroupMemberMetadataValue:
    """The metadata of a member."""

    rack_id: string | None
    client_id: string
    client_host: string
    subscribed_topic_names: list[string]


# ------------------------------------------------------------------------------- the assignments


@message(12, versions=(0, 0))
class ShareGroupTargetAssignmentMetadataKey:
    """The group."""

    group_id: string


@message(12, versions=(0, 0), flexible=0)
class ShareGroupTargetAssignmentMetadataValue:
    """The epoch of the target assignment, and the time of its computation (KIP-1263)."""

    assignment_epoch: int32
    assignment_timestamp: int64 = since(tag=0, default=0)


@message(13, versions=(0, 0))
class ShareGroupTargetAssignmentMemberKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(13, versions=(0, 0), flexible=0)
class ShareGroupTargetAssignmentMemberValue:
    """The target assignment of a member."""

    topic_partitions: list[AssignedPartitions]


@message(14, versions=(0, 0))
class ShareGroupCurrentMemberAssignmentKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(14, versions=(0, 0), flexible=0)
class ShareGroupCurrentMemberAssignmentValue:
    """The current assignment of a member, and its epochs; the state is always 0."""

    member_epoch: int32
    previous_member_epoch: int32
    state: int8
    assigned_partitions: list[AssignedPartitions]


@struct
class AssignedPartitions:
    """Partitions of a topic."""

    topic_id: uuid
    partitions: list[int32]


SHARE_GROUP_KEYS = (
    ShareGroupMetadataKey,
    ShareGroupStatePartitionMetadataKey,
    ShareGroupMemberMetadataKey,
    ShareGroupTargetAssignmentMetadataKey,
    ShareGroupTargetAssignmentMemberKey,
    ShareGroupCurrentMemberAssignmentKey,
)
