"""AlterShareGroupOffsets: sets the start offsets of an empty share group (KIP-932)."""

from __future__ import annotations

from protocol.apis import ALTER_SHARE_GROUP_OFFSETS
from protocol.schema import body, int16, int32, int64, string, struct, uuid


@body(ALTER_SHARE_GROUP_OFFSETS)
class AlterShareGroupOffsetsRequest:
    group_id: string
    topics: list[AlterShareGroupOffsetsRequestTopic]


@struct
class AlterShareGroupOffsetsRequestTopic:
    topic_name: string
    partitions: list[AlterShareGroupOffsetsRequestPartition]


@struct
class AlterShareGroupOffsetsRequestPartition:
    partition_index: int32
    start_offset: int64


@body(ALTER_SHARE_GROUP_OFFSETS)
class AlterShareGroupOffsetsResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    responses: list[AlterShareGroupOffsetsResponseTopic]


@struct
class AlterShareGroupOffsetsResponseTopic:
    topic_name: string
    topic_id: uuid
    partitions: list[AlterShareGroupOffsetsResponsePartition]


@struct
class AlterShareGroupOffsetsResponsePartition:
    partition_index: int32
    error_code: int16 = 0
    error_message: string | None = None
