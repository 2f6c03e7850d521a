"""AlterShareGroupOffsets: sets the start offsets of an empty share group (KIP-932)."""

from __future__ import annotations

from protocol.schema import int16, int32, int64, message, string, struct, uuid


@message(91, versions=(0, 0), flexible=0)
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


@message(91, versions=(0, 0), flexible=0)
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
