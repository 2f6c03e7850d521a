"""ConsumerGroupHeartbeat: joins, stays in, and leaves a group whose broker assigns (KIP-848).

v1 subscription by regular expression, and members that choose their own id (KIP-1082).
"""

from __future__ import annotations

from protocol.schema import int16, int32, message, since, string, struct, uuid


@message(68, versions=(0, 1), flexible=0)
class ConsumerGroupHeartbeatRequest:
    group_id: string
    member_id: string
    member_epoch: int32
    instance_id: string | None = None
    rack_id: string | None = None
    rebalance_timeout_ms: int32 = -1
    subscribed_topic_names: list[string] | None = None
    subscribed_topic_regex: string | None = since(1, default=None)
    server_assignor: string | None = None
    topic_partitions: list[TopicPartitions] | None = None


@message(68, versions=(0, 1), flexible=0)
class ConsumerGroupHeartbeatResponse:
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
