"""StreamsGroupHeartbeat: joins, stays in, and leaves a streams group (KIP-1071)."""

from __future__ import annotations

from protocol.apis import STREAMS_GROUP_HEARTBEAT
from protocol.schema import body, boolean, int8, int16, int32, int64, since, string, struct, uint16

# ----------------------------------------------------------------------------------- the request


@body(STREAMS_GROUP_HEARTBEAT)
class StreamsGroupHeartbeatRequest:
    group_id: string
    member_id: string
    member_epoch: int32
    endpoint_information_epoch: int32 = 0
    instance_id: string | None = None
    rack_id: string | None = None
    rebalance_timeout_ms: int32 = -1
    topology: Topology | None = None
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    process_id: string | None = None
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue] | None = None
    task_offsets: list[TaskOffset] | None = None
    task_end_offsets: list[TaskOffset] | None = None
    shutdown_application: boolean = False


@struct
class Topology:
    epoch: int32
    subtopologies: list[Subtopology]


@struct
class Subtopology:
    subtopology_id: string
    source_topics: list[string] = since(factory=list)
    source_topic_regex: list[string] = since(factory=list)
    state_changelog_topics: list[TopicInfo] = since(factory=list)
    repartition_sink_topics: list[string] = since(factory=list)
    repartition_source_topics: list[TopicInfo] = since(factory=list)
    copartition_groups: list[CopartitionGroup] = since(factory=list)


@struct
class TopicInfo:
    name: string
    partitions: int32 = 0
    replication_factor: int16 = 0
    topic_configs: list[KeyValue] = since(factory=list)


@struct
class CopartitionGroup:
    """Indexes into the lists of the subtopology."""

    source_topics: list[int16] = since(factory=list)
    source_topic_regex: list[int16] = since(factory=list)
    repartition_source_topics: list[int16] = since(factory=list)


@struct
class TaskOffset:
    subtopology_id: string
    partition: int32
    offset: int64


# ---------------------------------------------------------------------------------- the response


@body(STREAMS_GROUP_HEARTBEAT)
class StreamsGroupHeartbeatResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    member_id: string = ""
    member_epoch: int32 = 0
    heartbeat_interval_ms: int32 = 0
    acceptable_recovery_lag: int32 = 0
    task_offset_interval_ms: int32 = 0
    status: list[Status] | None = since(factory=list)
    active_tasks: list[TaskIds] | None = None
    standby_tasks: list[TaskIds] | None = None
    warmup_tasks: list[TaskIds] | None = None
    endpoint_information_epoch: int32 = 0
    partitions_by_user_endpoint: list[EndpointToPartitions] | None = None


@struct
class Status:
    status_code: int8
    status_detail: string


@struct
class EndpointToPartitions:
    user_endpoint: Endpoint
    active_partitions: list[TopicPartition]
    standby_partitions: list[TopicPartition]


@struct
class TopicPartition:
    topic: string
    partitions: list[int32]


# --------------------------------------------------------------------------------------- of both


@struct
class TaskIds:
    subtopology_id: string
    partitions: list[int32]


@struct
class Endpoint:
    host: string
    port: uint16


@struct
class KeyValue:
    key: string
    value: string
