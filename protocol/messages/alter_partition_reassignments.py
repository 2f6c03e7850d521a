"""AlterPartitionReassignments: moves replicas (KIP-455).

v1 whether the replication factor may change (KIP-860).
"""

from __future__ import annotations

from protocol.schema import boolean, int16, int32, message, since, string, struct


@message(45, versions=(0, 1), flexible=0)
class AlterPartitionReassignmentsRequest:
    timeout_ms: int32 = 60000
    allow_replication_factor_change: boolean = since(1, default=True)
    topics: list[ReassignableTopic]


@struct
class ReassignableTopic:
    name: string
    partitions: list[ReassignablePartition]


@struct
class ReassignablePartition:
    partition_index: int32
    replicas: list[int32] | None = None


@message(45, versions=(0, 1), flexible=0)
class AlterPartitionReassignmentsResponse:
    throttle_time_ms: int32 = 0
    allow_replication_factor_change: boolean = since(1, default=True)
    error_code: int16 = 0
    error_message: string | None = None
    responses: list[ReassignableTopicResponse]


@struct
class ReassignableTopicResponse:
    name: string
    partitions: list[ReassignablePartitionResponse]


@struct
class ReassignablePartitionResponse:
    partition_index: int32
    error_code: int16 = 0
    error_message: string | None = None
