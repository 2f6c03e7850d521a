"""StreamsGroupDescribe: topologies, members and assignments of streams groups (KIP-1071)."""

from __future__ import annotations

from protocol.apis import STREAMS_GROUP_DESCRIBE
from protocol.schema import body, boolean, int16, int32, int64, string, struct, uint16


@body(STREAMS_GROUP_DESCRIBE)
class StreamsGroupDescribeRequest:
    group_ids: list[string]
    include_authorized_operations: boolean = False


@body(STREAMS_GROUP_DESCRIBE)
class StreamsGroupDescribeResponse:
    throttle_time_ms: int32 = 0
    groups: list[DescribedGroup]


@struct
class DescribedGroup:
    error_code: int16 = 0
    error_message: string | None = None
    group_id: string
    group_state: string = ""
    group_epoch: int32 = 0
    assignment_epoch: int32 = 0
    topology: Topology | None = None
    members: list[Member]
    authorized_operations: int32 = -2147483648


@struct
class Topology:
    epoch: int32
    subtopologies: list[Subtopology] | None = None


@struct
class Subtopology:
    subtopology_id: string
    source_topics: list[string]
    repartition_sink_topics: list[string]
    state_changelog_topics: list[TopicInfo]
    repartition_source_topics: list[TopicInfo]


@struct
class TopicInfo:
    name: string
    partitions: int32
    replication_factor: int16
    topic_configs: list[KeyValue]


@struct
class Member:
    member_id: string
    member_epoch: int32
    instance_id: string | None = None
    rack_id: string | None = None
    client_id: string
    client_host: string
    topology_epoch: int32
    process_id: string
    user_endpoint: Endpoint | None = None
    client_tags: list[KeyValue]
    task_offsets: list[TaskOffset]
    task_end_offsets: list[TaskOffset]
    assignment: Assignment
    target_assignment: Assignment
    is_classic: boolean = False


@struct
class Endpoint:
    host: string
    port: uint16


@struct
class TaskOffset:
    subtopology_id: string
    partition: int32
    offset: int64


@struct
class Assignment:
    active_tasks: list[TaskIds]
    standby_tasks: list[TaskIds]
    warmup_tasks: list[TaskIds]


@struct
class TaskIds:
    subtopology_id: string
    partitions: list[int32]


@struct
class KeyValue:
    key: string
    value: string
