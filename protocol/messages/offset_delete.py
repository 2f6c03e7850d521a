"""OffsetDelete: deletes committed offsets (KIP-496)."""

from __future__ import annotations

from protocol.apis import OFFSET_DELETE
from protocol.schema import body, int16, int32, string, struct


@body(OFFSET_DELETE)
class OffsetDeleteRequest:
    group_id: string
    topics: list[OffsetDeleteRequestTopic]


@struct
class OffsetDeleteRequestTopic:
    name: string
    partitions: list[OffsetDeleteRequestPartition]


@struct
class OffsetDeleteRequestPartition:
    partition_index: int32


@body(OFFSET_DELETE)
class OffsetDeleteResponse:
    error_code: int16 = 0
    throttle_time_ms: int32 = 0
    topics: list[OffsetDeleteResponseTopic]


@struct
class OffsetDeleteResponseTopic:
    name: string
    partitions: list[OffsetDeleteResponsePartition]


@struct
class OffsetDeleteResponsePartition:
    partition_index: int32
    error_code: int16 = 0
