"""DescribeShareGroupOffsets: the start offsets of share partitions (KIP-932).

v1 the lag (KIP-1226).
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_SHARE_GROUP_OFFSETS
from protocol.schema import body, int16, int32, int64, since, string, struct, uuid


@body(DESCRIBE_SHARE_GROUP_OFFSETS)
class DescribeShareGroupOffsetsRequest:
    groups: list[DescribeShareGroupOffsetsRequestGroup]


@struct
class DescribeShareGroupOffsetsRequestGroup:
    group_id: string
    topics: list[DescribeShareGroupOffsetsRequestTopic] | None


@struct
class DescribeShareGroupOffsetsRequestTopic:
    topic_name: string
    partitions: list[int32]


@body(DESCRIBE_SHARE_GROUP_OFFSETS)
class DescribeShareGroupOffsetsResponse:
    throttle_time_ms: int32 = 0
    groups: list[DescribeShareGroupOffsetsResponseGroup]


@struct
class DescribeShareGroupOffsetsResponseGroup:
    group_id: string
    topics: list[DescribeShareGroupOffsetsResponseTopic]
    error_code: int16 = 0
    error_message: string | None = None


@struct
class DescribeShareGroupOffsetsResponseTopic:
    topic_name: string
    topic_id: uuid
    partitions: list[DescribeShareGroupOffsetsResponsePartition]


@struct
class DescribeShareGroupOffsetsResponsePartition:
    partition_index: int32
    start_offset: int64 = 0
    leader_epoch: int32 = 0
    lag: int64 = since(1, default=-1)
    error_code: int16 = 0
    error_message: string | None = None
