"""InitializeShareGroupState: creates or resets the state of share partitions (KIP-932)."""

from __future__ import annotations

from protocol.apis import INITIALIZE_SHARE_GROUP_STATE
from protocol.schema import body, int16, int32, int64, string, struct, uuid


@body(INITIALIZE_SHARE_GROUP_STATE)
class InitializeShareGroupStateRequest:
    group_id: string
    topics: list[InitializeStateData]


@struct
class InitializeStateData:
    topic_id: uuid
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition: int32
    state_epoch: int32
    start_offset: int64


@body(INITIALIZE_SHARE_GROUP_STATE)
class InitializeShareGroupStateResponse:
    results: list[InitializeStateResult]


@struct
class InitializeStateResult:
    topic_id: uuid
    partitions: list[PartitionResult]


@struct
class PartitionResult:
    partition: int32
    error_code: int16 = 0
    error_message: string | None = None
