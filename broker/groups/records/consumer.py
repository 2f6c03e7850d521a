"""Records of consumer groups (KIP-848): group, members, target and current assignments."""

from __future__ import annotations

from protocol.schema import (
    data,
    int8,
    int32,
    int64,
    message,
    since,
    string,
    struct,
    uuid,
)

# ------------------------------------------------------------------------------------- the group


@message(3, versions=(0, 0))
class ConsumerGroupMetadataKey:
    """The group."""

    group_id: string


@message(3, versions=(0, 0), flexible=0)
class ConsumerGroupMetadataValue:
    """The group epoch, and the hash of the topics that were subscribed then (KIP-1101)."""

    epoch: int32
    metadata_hash: int64 = since(tag=0, default=0)


@message(4, versions=(0, 0))
class ConsumerGroupPartitionMetadataKey:
    """The topics of a group as brokers before 4.1 kept them; only tombstones are written."""

    group_id: string


@message(4, versions=(0, 0), flexible=0)
class ConsumerGroupPartitionMetadataValue:
    """The subscribed topics of a group."""

    topics: list[TopicMetadata]


@struct
class TopicMetadata:
    """A topic and its number of partitions."""

    topic_id: uuid
    topic_name: string
    num_partitions: int32
    partition_metadata: list[PartitionMetadata]


@struct
class PartitionMetadata:
    """The racks of the replicas of a partition."""

    partition: int32
    racks: list[string]


@message(16, versions=(0, 0))
class ConsumerGroupRegularExpressionKey:
    """A regular expression that members of a group subscribe to."""

    group_id: string
    regular_expression: string


@message(16, versions=(0, 0), flexible=0)
class ConsumerGroupRegularExpressionValue:
    """The topics that match, and the version of the metadata image and the time of the match."""

    topics: list[string]
    version: int64
    timestamp: int64


# ----------------------------------------------------------------------------------- the members


@message(5, versions=(0, 0))
class ConsumerGroupMemberMetadataKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(5, versions=(0, 0), flexible=0)
class ConsumerGroupMemberMetadataValue:
    """The metadata of a member."""

    instance_id: string | None
    rack_id: string | None
    client_id: string
    client_host: string
    subscribed_topic_names: list[string]
    subscribed_topic_regex: string | None
    rebalance_timeout_ms: int32 = -1
    server_assignor: string | None
    classic_member_metadata: ClassicMemberMetadata | None = since(tag=0, spelt=True, default=None)


@struct
class ClassicMemberMetadata:
    """The additional metadata of a member that uses the classic protocol."""

    session_timeout_ms: int32
    supported_protocols: list[ClassicProtocol]


@struct
class ClassicProtocol:
    """A protocol that the member supports."""

    name: string
    metadata: data


# ------------------------------------------------------------------------------- the assignments


@message(6, versions=(0, 0))
class ConsumerGroupTargetAssignmentMetadataKey:
    """The group."""

    group_id: string


@message(6, versions=(0, 0), flexible=0)
class ConsumerGroupTargetAssignmentMetadataValue:
    """The epoch of the target assignment, and the time of its computation (KIP-1263)."""

    assignment_epoch: int32
    assignment_timestamp: int64 = since(tag=0, default=0)


@message(7, versions=(0, 0))
class ConsumerGroupTargetAssignmentMemberKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(7, versions=(0, 0), flexible=0)
class ConsumerGroupTargetAssignmentMemberValue:
    """The target assignment of a member."""

    topic_partitions: list[TargetTopicPartitions]


@struct
class TargetTopicPartitions:
    """Partitions of a topic."""

    topic_id: uuid
    partitions: list[int32]


@message(8, versions=(0, 0))
class ConsumerGroupCurrentMemberAssignmentKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(8, versions=(0, 0), flexible=0)
class ConsumerGroupCurrentMemberAssignmentValue:
    """The current assignment of a member, the partitions that it must revoke, and its epochs."""

    member_epoch: int32
    previous_member_epoch: int32
    state: int8
    assigned_partitions: list[CurrentTopicPartitions]
    partitions_pending_revocation: list[CurrentTopicPartitions]


@struct
class CurrentTopicPartitions:
    """Partitions of a topic, and the epoch in which each was assigned (KIP-1251)."""

    topic_id: uuid
    partitions: list[int32]
    assignment_epochs: list[int32] | None = since(tag=0, default=None)
