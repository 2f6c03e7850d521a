"""ReadShareGroupStateSummary: the start offsets and epochs of share partitions (KIP-932).

v1 the number of completed deliveries (KIP-1226).
"""

from __future__ import annotations

from protocol.apis import READ_SHARE_GROUP_STATE_SUMMARY
from protocol.schema import body, int16, int32, int64, since, string, struct, uuid


@body(READ_SHARE_GROUP_STATE_SUMMARY)
class ReadShareGroupStateSummaryRequest:
    group_id: string
    topics: list[ReadStateSummaryData]


@struct
class ReadStateSummaryData:
    topic_id: uuid
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition: int32
    leader_epoch: int32


@body(READ_SHARE_GROUP_STATE_SUMMARY)
class ReadShareGroupStateSummaryResponse:
    results: list[ReadStateSummaryResult]


@struct
class ReadStateSummaryResult:
    topic_id: uuid
    partitions: list[PartitionResult]


@struct
class PartitionResult:
    partition: int32
    error_code: int16 = 0
    error_message: string | None = None
    state_epoch: int32 = 0
    leader_epoch: int32 = 0
    start_offset: int64 = 0
    delivery_complete_count: int32 = since(1, default=-1)
