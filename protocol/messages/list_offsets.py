"""ListOffsets: the first, last or timestamped offset of partitions.

v1 one offset each, v2 isolation level, v4 leader epochs, v5 OFFSET_NOT_AVAILABLE, v6 flexible,
v7 max timestamp (KIP-734), v8 and v9 tiered storage (KIP-405, KIP-1005), v10 a timeout
(KIP-1075), v11 earliest pending upload (KIP-1023).
"""

from __future__ import annotations

from protocol.apis import LIST_OFFSETS
from protocol.schema import body, int8, int16, int32, int64, since, string, struct


@body(LIST_OFFSETS)
class ListOffsetsRequest:
    replica_id: int32
    isolation_level: int8 = since(2, default=0)
    topics: list[ListOffsetsTopic]
    timeout_ms: int32 = since(10, default=0)


@struct
class ListOffsetsTopic:
    name: string
    partitions: list[ListOffsetsPartition]


@struct
class ListOffsetsPartition:
    partition_index: int32
    current_leader_epoch: int32 = since(4, default=-1)
    timestamp: int64


@body(LIST_OFFSETS)
class ListOffsetsResponse:
    throttle_time_ms: int32 = since(2, default=0)
    topics: list[ListOffsetsTopicResponse]


@struct
class ListOffsetsTopicResponse:
    name: string
    partitions: list[ListOffsetsPartitionResponse]


@struct
class ListOffsetsPartitionResponse:
    partition_index: int32
    error_code: int16 = 0
    timestamp: int64 = -1
    offset: int64 = -1
    leader_epoch: int32 = since(4, default=-1)
