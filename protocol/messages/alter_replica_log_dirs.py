"""AlterReplicaLogDirs: moves replicas of one broker between its directories (KIP-113).

v2 flexible.
"""

from __future__ import annotations

from protocol.apis import ALTER_REPLICA_LOG_DIRS
from protocol.schema import body, int16, int32, string, struct


@body(ALTER_REPLICA_LOG_DIRS)
class AlterReplicaLogDirsRequest:
    dirs: list[AlterReplicaLogDir]


@struct
class AlterReplicaLogDir:
    path: string
    topics: list[AlterReplicaLogDirTopic]


@struct
class AlterReplicaLogDirTopic:
    name: string
    partitions: list[int32]


@body(ALTER_REPLICA_LOG_DIRS)
class AlterReplicaLogDirsResponse:
    throttle_time_ms: int32 = 0
    results: list[AlterReplicaLogDirTopicResult]


@struct
class AlterReplicaLogDirTopicResult:
    topic_name: string
    partitions: list[AlterReplicaLogDirPartitionResult]


@struct
class AlterReplicaLogDirPartitionResult:
    partition_index: int32
    error_code: int16 = 0
