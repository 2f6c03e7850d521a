"""DeleteShareGroupState: deletes the state of share partitions (KIP-932)."""

from __future__ import annotations

from protocol.apis import DELETE_SHARE_GROUP_STATE
from protocol.schema import body, int16, int32, string, struct, uuid


@body(DELETE_SHARE_GROUP_STATE)
class DeleteShareGroupStateRequest:
    group_id: string
    topics: list[DeleteStateData]


@struct
class DeleteStateData:
    topic_id: uuid
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition: int32


@body(DELETE_SHARE_GROUP_STATE)
class DeleteShareGroupStateResponse:
    results: list[DeleteStateResult]


@struct
class DeleteStateResult:
    topic_id: uuid
    partitions: list[PartitionResult]


@struct
class PartitionResult:
    partition: int32
    error_code: int16 = 0
    error_message: string | None = None
