"""ListPartitionReassignments: the reassignments in progress (KIP-455)."""

from __future__ import annotations

from protocol.apis import LIST_PARTITION_REASSIGNMENTS
from protocol.schema import body, int16, int32, string, struct


@body(LIST_PARTITION_REASSIGNMENTS)
class ListPartitionReassignmentsRequest:
    timeout_ms: int32 = 60000
    topics: list[ListPartitionReassignmentsTopics] | None = None


@struct
class ListPartitionReassignmentsTopics:
    name: string
    partition_indexes: list[int32]


@body(LIST_PARTITION_REASSIGNMENTS)
class ListPartitionReassignmentsResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    topics: list[OngoingTopicReassignment]


@struct
class OngoingTopicReassignment:
    name: string
    partitions: list[OngoingPartitionReassignment]


@struct
class OngoingPartitionReassignment:
    partition_index: int32
    replicas: list[int32]
    adding_replicas: list[int32]
    removing_replicas: list[int32]
