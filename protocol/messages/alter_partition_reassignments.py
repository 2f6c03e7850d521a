"""AlterPartitionReassignments: moves replicas (KIP-455).

v1 whether the replication factor may change (KIP-860).
"""

from __future__ import annotations

from protocol.apis import ALTER_PARTITION_REASSIGNMENTS
from protocol.schema import body, boolean, int16, int32, since, string, struct


@body(ALTER_PARTITION_REASSIGNMENTS)
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


@body(ALTER_PARTITION_REASSIGNMENTS)
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
