"""OffsetDelete: deletes committed offsets (KIP-496)."""

from __future__ import annotations

from protocol.schema import int16, int32, message, string, struct


@message(47, versions=(0, 0))
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


@message(47, versions=(0, 0))
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
