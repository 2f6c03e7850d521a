"""ConsumerGroupDescribe: members, epochs and assignments of consumer groups (KIP-848).

v1 whether a member uses the classic protocol (KIP-1099).
"""

from __future__ import annotations

from protocol.apis import CONSUMER_GROUP_DESCRIBE
from protocol.schema import body, boolean, int8, int16, int32, since, string, struct, uuid


@body(CONSUMER_GROUP_DESCRIBE)
class ConsumerGroupDescribeRequest:
    group_ids: list[string]
    include_authorized_operations: boolean = False


@body(CONSUMER_GROUP_DESCRIBE)
class ConsumerGroupDescribeResponse:
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
    instance_id: string | None = None
    rack_id: string | None = None
    member_epoch: int32 = 0
    client_id: string = ""
    client_host: string = ""
    subscribed_topic_names: list[string]
    subscribed_topic_regex: string | None = None
    assignment: Assignment
    target_assignment: Assignment
    member_type: int8 = since(1, default=-1)


@struct
class Assignment:
    topic_partitions: list[TopicPartitions]


@struct
class TopicPartitions:
    topic_id: uuid
    topic_name: string
    partitions: list[int32]
