"""ShareGroupDescribe: members, epochs and assignments of share groups (KIP-932)."""

from __future__ import annotations

from protocol.apis import SHARE_GROUP_DESCRIBE
from protocol.schema import body, boolean, int16, int32, string, struct, uuid


@body(SHARE_GROUP_DESCRIBE)
class ShareGroupDescribeRequest:
    group_ids: list[string]
    include_authorized_operations: boolean = False


@body(SHARE_GROUP_DESCRIBE)
class ShareGroupDescribeResponse:
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
    assignor_name: string = ""
    members: list[Member]
    authorized_operations: int32 = -2147483648


@struct
class Member:
    member_id: string
    rack_id: string | None = None
    member_epoch: int32 = 0
    client_id: string
    client_host: string
    subscribed_topic_names: list[string]
    assignment: Assignment


@struct
class Assignment:
    topic_partitions: list[TopicPartitions]


@struct
class TopicPartitions:
    topic_id: uuid
    topic_name: string
    partitions: list[int32]
