"""ShareGroupHeartbeat: joins, stays in, and leaves a share group (KIP-932)."""

from __future__ import annotations

from protocol.apis import SHARE_GROUP_HEARTBEAT
from protocol.schema import body, int16, int32, string, struct, uuid


@body(SHARE_GROUP_HEARTBEAT)
class ShareGroupHeartbeatRequest:
    group_id: string
    member_id: string
    member_epoch: int32
    rack_id: string | None = None
    subscribed_topic_names: list[string] | None = None


@body(SHARE_GROUP_HEARTBEAT)
class ShareGroupHeartbeatResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    member_id: string | None = None
    member_epoch: int32 = 0
    heartbeat_interval_ms: int32 = 0
    assignment: Assignment | None = None


@struct
class Assignment:
    topic_partitions: list[TopicPartitions]


@struct
class TopicPartitions:
    topic_id: uuid
    partitions: list[int32]
