"""CreatePartitions: adds partitions to topics.

v2 flexible, v3 quotas (KIP-599).
"""

from __future__ import annotations

from protocol.schema import boolean, int16, int32, message, string, struct


@message(37, versions=(0, 3), flexible=2)
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


@message(37, versions=(0, 3), flexible=2)
class CreatePartitionsResponse:
    throttle_time_ms: int32 = 0
    results: list[CreatePartitionsTopicResult]


@struct
class CreatePartitionsTopicResult:
    name: string
    error_code: int16 = 0
    error_message: string | None = None
