"""DeleteRecords: deletes the records of partitions before an offset.

v2 flexible.
"""

from __future__ import annotations

from protocol.apis import DELETE_RECORDS
from protocol.schema import body, int16, int32, int64, string, struct


@body(DELETE_RECORDS)
class DeleteRecordsRequest:
    topics: list[DeleteRecordsTopic]
    timeout_ms: int32


@struct
class DeleteRecordsTopic:
    name: string
    partitions: list[DeleteRecordsPartition]


@struct
class DeleteRecordsPartition:
    partition_index: int32
    offset: int64


@body(DELETE_RECORDS)
class DeleteRecordsResponse:
    throttle_time_ms: int32 = 0
    topics: list[DeleteRecordsTopicResult]


@struct
class DeleteRecordsTopicResult:
    name: string
    partitions: list[DeleteRecordsPartitionResult]


@struct
class DeleteRecordsPartitionResult:
    partition_index: int32
    low_watermark: int64
    error_code: int16 = 0
