"""CreatePartitions: adds partitions to topics.

v2 flexible, v3 quotas (KIP-599).
"""

from __future__ import annotations

from protocol.apis import CREATE_PARTITIONS
from protocol.schema import body, boolean, int16, int32, string, struct


@body(CREATE_PARTITIONS)
class CreatePartitionsRequest:
    topics: list[CreatePartitionsTopic]
    timeout_ms: int32
    validate_only: boolean


@struct
class CreatePartitionsTopic:
    name: string
    count: int32
    assignments: list[CreatePartitionsAssignment] | None


@struct
class CreatePartitionsAssignment:
    broker_ids: list[int32]


@body(CREATE_PARTITIONS)
class CreatePartitionsResponse:
    throttle_time_ms: int32 = 0
    results: list[CreatePartitionsTopicResult]


@struct
class CreatePartitionsTopicResult:
    name: string
    error_code: int16 = 0
    error_message: string | None = None
