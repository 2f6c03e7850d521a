"""OffsetCommit: stores the offsets that a group has consumed.

v3 throttle time, v5 no retention time, v6 leader epochs, v7 static members (KIP-345), v8
flexible, v9 the consumer protocol (KIP-848), v10 topic ids (KIP-848).
"""

from __future__ import annotations

from protocol.apis import OFFSET_COMMIT
from protocol.schema import ZERO_UUID, body, int16, int32, int64, since, string, struct, uuid


@body(OFFSET_COMMIT)
class OffsetCommitRequest:
    group_id: string
    generation_id_or_member_epoch: int32 = -1
    member_id: string
    group_instance_id: string | None = since(7, default=None)
    retention_time_ms: int64 = since(2, until=4, default=-1)
    topics: list[OffsetCommitRequestTopic]


@struct
class OffsetCommitRequestTopic:
    name: string = since(0, until=9, default="")
    topic_id: uuid = since(10, default=ZERO_UUID)
    partitions: list[OffsetCommitRequestPartition]


@struct
class OffsetCommitRequestPartition:
    partition_index: int32
    committed_offset: int64
    committed_leader_epoch: int32 = since(6, default=-1)
    committed_metadata: string | None


@body(OFFSET_COMMIT)
class OffsetCommitResponse:
    throttle_time_ms: int32 = since(3, default=0)
    topics: list[OffsetCommitResponseTopic]


@struct
class OffsetCommitResponseTopic:
    name: string = since(0, until=9, default="")
    topic_id: uuid = since(10, default=ZERO_UUID)
    partitions: list[OffsetCommitResponsePartition]


@struct
class OffsetCommitResponsePartition:
    partition_index: int32
    error_code: int16 = 0
