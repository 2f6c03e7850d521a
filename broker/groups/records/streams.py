"""Records of streams groups (KIP-1071): group, topology, members, and assignments of tasks."""

from __future__ import annotations

from protocol.schema import int8, int16, int32, int64, message, since, string, struct, uint16

# ------------------------------------------------------------------------------------- the group


@message(17, versions=(0, 0))
class StreamsGroupMetadataKey:
    """The group."""

    group_id: string


@message(17, versions=(0, 0), flexible=0)
class StreamsGroupMetadataValue:
    """The group epoch, and what the coordinator has validated and configured for it."""

    epoch: int32
    metadata_hash: int64
    validated_topology_epoch: int32 = since(tag=0, default=-1)
    last_assignment_configs: list[LastAssignmentConfig] | None = since(tag=1, default=None)


@struct
class LastAssignmentConfig:
    """A configuration that the last assignment has used."""

    key: string
    value: string


# ---------------------------------------------------------------------------------- the topology


@message(23, versions=(0, 0))
class StreamsGroupTopologyKey:
    """The group."""

    group_id: string


@message(23, versions=(0, 0), flexible=0)
class StreamsGroupTopologyValue:
    """The topology of the group as its members have sent it."""

    epoch: int32
    subtopologies: list[Subtopology]


@struct
class Subtopology:
    """A subtopology with its topics."""

    subtopology_id: string
    source_topics: list[string]
    source_topic_regex: list[string]
    state_changelog_topics: list[TopicInfo]
    repartition_sink_topics: list[string]
    repartition_source_topics: list[TopicInfo]
    copartition_groups: list[CopartitionGroup]


@struct
class TopicInfo:
    """An internal topic; 0 partitions or replicas are not specified."""

    name: string
    partitions: int32
    replication_factor: int16
    topic_configs: list[TopicConfig]


@struct
class TopicConfig:
    """A configuration of an internal topic."""

    key: string
    value: string


@struct
class CopartitionGroup:
    """Topics with equal partition counts, as indexes into the lists of the subtopology."""

    source_topics: list[int16]
    source_topic_regex: list[int16]
    repartition_source_topics: list[int16]


# ----------------------------------------------------------------------------------- the members


@message(19, versions=(0, 0))
class StreamsGroupMemberMetadataKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(19, versions=(0, 0), flexible=0)
class StreamsGroupMemberMetadataValue:
    """The metadata of a member."""

    instance_id: string | None
    rack_id: string | None
    client_id: string
    client_host: string
    rebalance_timeout_ms: int32 = -1
    topology_epoch: int32
    process_id: string
    user_endpoint: Endpoint | None = None
    client_tags: list[ClientTag]


@struct
class Endpoint:
    """The address for interactive queries."""

    host: string
    port: uint16


@struct
class ClientTag:
    """A tag of a client."""

    key: string
    value: string


# ------------------------------------------------------------------------------- the assignments


@message(20, versions=(0, 0))
class StreamsGroupTargetAssignmentMetadataKey:
    """The group."""

    group_id: string


@message(20, versions=(0, 0), flexible=0)
class StreamsGroupTargetAssignmentMetadataValue:
    """The epoch of the target assignment, and the time of its computation (KIP-1263)."""

    assignment_epoch: int32
    assignment_timestamp: int64 = since(tag=0, default=0)


@message(21, versions=(0, 0))
class StreamsGroupTargetAssignmentMemberKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(21, versions=(0, 0), flexible=0)
class StreamsGroupTargetAssignmentMemberValue:
    """The target assignment of a member."""

    active_tasks: list[TargetTasks]
    standby_tasks: list[TargetTasks]
    warmup_tasks: list[TargetTasks]


@struct
class TargetTasks:
    """Tasks of a subtopology, by partition."""

    subtopology_id: string
    partitions: list[int32]


@message(22, versions=(0, 0))
class StreamsGroupCurrentMemberAssignmentKey:
    """A group and a member."""

    group_id: string
    member_id: string


@message(22, versions=(0, 0), flexible=0)
class StreamsGroupCurrentMemberAssignmentValue:
    """The current assignment of a member, its epochs and its state."""

    member_epoch: int32
    previous_member_epoch: int32
    state: int8
    active_tasks: list[CurrentTasks]
    standby_tasks: list[CurrentTasks]
    warmup_tasks: list[CurrentTasks]
    active_tasks_pending_revocation: list[CurrentTasks]
    standby_tasks_pending_revocation: list[CurrentTasks]
    warmup_tasks_pending_revocation: list[CurrentTasks]


@struct
class CurrentTasks:
    """Tasks of a subtopology, by partition.

    Active tasks have the member epoch at which each partition was assigned.
    """

    subtopology_id: string
    partitions: list[int32]
    assignment_epochs: list[int32] | None = since(tag=0, default=None)


STREAMS_GROUP_KEYS = (
    StreamsGroupMetadataKey,
    StreamsGroupTopologyKey,
    StreamsGroupMemberMetadataKey,
    StreamsGroupTargetAssignmentMetadataKey,
    StreamsGroupTargetAssignmentMemberKey,
    StreamsGroupCurrentMemberAssignmentKey,
)
