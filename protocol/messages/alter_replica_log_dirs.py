"""AlterReplicaLogDirs: moves replicas of one broker between its directories (KIP-113).

v2 flexible.
"""

from __future__ import annotations

from protocol.schema import int16, int32, message, string, struct


@message(34, versions=(1, 2), flexible=2)
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


@message(34, versions=(1, 2), flexible=2)
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
