"""DescribeLogDirs: the sizes of partitions on disk.

v2 flexible, v4 sizes of volumes (KIP-827), v5 whether a directory is cordoned (KIP-1066).
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_LOG_DIRS
from protocol.schema import body, boolean, int16, int32, int64, since, string, struct


@body(DESCRIBE_LOG_DIRS)
class DescribeLogDirsRequest:
    topics: list[DescribableLogDirTopic] | None


@struct
class DescribableLogDirTopic:
    topic: string
    partitions: list[int32]


@body(DESCRIBE_LOG_DIRS)
class DescribeLogDirsResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = since(3, default=0)
    results: list[DescribeLogDirsResult]


@struct
class DescribeLogDirsResult:
    error_code: int16 = 0
    log_dir: string
    topics: list[DescribeLogDirsTopic]
    total_bytes: int64 = since(4, default=-1)
    usable_bytes: int64 = since(4, default=-1)
    is_cordoned: boolean = since(5, default=False)


@struct
class DescribeLogDirsTopic:
    name: string
    partitions: list[DescribeLogDirsPartition]


@struct
class DescribeLogDirsPartition:
    partition_index: int32
    partition_size: int64
    offset_lag: int64
    is_future_key: boolean
