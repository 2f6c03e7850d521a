"""OffsetForLeaderEpoch: the end offset of an epoch in a log.

v3 the requesting replica's id, v4 flexible.
"""

from __future__ import annotations

from protocol.apis import OFFSET_FOR_LEADER_EPOCH
from protocol.schema import body, int16, int32, int64, since, string, struct


@body(OFFSET_FOR_LEADER_EPOCH)
class OffsetForLeaderEpochRequest:
    replica_id: int32 = since(3, default=-2)
    topics: list[OffsetForLeaderTopic]


@struct
class OffsetForLeaderTopic:
    topic: string
    partitions: list[OffsetForLeaderPartition]


@struct
class OffsetForLeaderPartition:
    partition: int32
    current_leader_epoch: int32 = -1
    leader_epoch: int32


@body(OFFSET_FOR_LEADER_EPOCH)
class OffsetForLeaderEpochResponse:
    throttle_time_ms: int32 = 0
    topics: list[OffsetForLeaderTopicResult]


@struct
class OffsetForLeaderTopicResult:
    topic: string
    partitions: list[EpochEndOffset]


@struct
class EpochEndOffset:
    error_code: int16 = 0
    partition: int32
    leader_epoch: int32 = -1
    end_offset: int64 = -1
