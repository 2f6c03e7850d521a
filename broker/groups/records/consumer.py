"""Records of consumer groups (KIP-848): the group, its members, what they have and shall have."""

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
    """Which group."""

    group_id: string


@message(3, versions=(0, 0), flexible=0)
class ConsumerGroupMetadataValue:
    """The group's epoch, and a hash of the topics it was counted for (KIP-1101)."""

    epoch: int32
    metadata_hash: int64 = since(tag=0, default=0)


@message(4, versions=(0, 0))
class ConsumerGroupPartitionMetadataKey:
    """What Kafka kept of a group's topics before 4.1; only tombstones of it are written."""

    group_id: string


@message(4, versions=(0, 0), flexible=0)
class ConsumerGroupPartitionMetadataValue:
    """The topics of a group, as Kafka 4.0 knew them."""

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
    """The racks a partition lies in."""

    partition: int32
    racks: list[string]


@message(16, versions=(0, 0))
class ConsumerGroupRegularExpressionKey:
    """A regular expression that members of the group subscribe to."""

    group_id: string
    regular_expression: string


@message(16, versions=(0, 0), flexible=0)
class ConsumerGroupRegularExpressionValue:
    """The topics that match it; the version of the metadata and the time tell when."""

    topics: list[string]
    version: int64
    timestamp: int64


# ----------------------------------------------------------------------------------- the members


@message(5, versions=(0, 0))
class ConsumerGroupMemberMetadataKey:
    """Which member of which group."""

    group_id: string
    member_id: string


@message(5, versions=(0, 0), flexible=0)
class ConsumerGroupMemberMetadataValue:
    """What a member says of itself."""

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
    """What a member that speaks the classic protocol has to say beyond that."""

    session_timeout_ms: int32
    supported_protocols: list[ClassicProtocol]


@struct
class ClassicProtocol:
    """A way of assigning partitions that the member knows."""

    name: string
    metadata: data


# ------------------------------------------------------------------------------- the assignments


@message(6, versions=(0, 0))
class ConsumerGroupTargetAssignmentMetadataKey:
    """Which group."""

    group_id: string


@message(6, versions=(0, 0), flexible=0)
class ConsumerGroupTargetAssignmentMetadataValue:
    """The epoch the target assignment was made for, and when it was (KIP-1263)."""

    assignment_epoch: int32
    assignment_timestamp: int64 = since(tag=0, default=0)


@message(7, versions=(0, 0))
class ConsumerGroupTargetAssignmentMemberKey:
    """Which member of which group."""

    group_id: string
    member_id: string


@message(7, versions=(0, 0), flexible=0)
class ConsumerGroupTargetAssignmentMemberValue:
    """What a member shall have."""

    topic_partitions: list[TargetTopicPartitions]


@struct
class TargetTopicPartitions:
    """Partitions of a topic."""

    topic_id: uuid
    partitions: list[int32]


@message(8, versions=(0, 0))
class ConsumerGroupCurrentMemberAssignmentKey:
    """Which member of which group."""

    group_id: string
    member_id: string


@message(8, versions=(0, 0), flexible=0)
class ConsumerGroupCurrentMemberAssignmentValue:
    """What a member has, what it must give up, and how far it has followed the group."""

    member_epoch: int32
    previous_member_epoch: int32
    state: int8
    assigned_partitions: list[CurrentTopicPartitions]
    partitions_pending_revocation: list[CurrentTopicPartitions]


@struct
class CurrentTopicPartitions:
    """Partitions of a topic, and the epoch in which the member got each (KIP-1251)."""

    topic_id: uuid
    partitions: list[int32]
    assignment_epochs: list[int32] | None = since(tag=0, default=None)
