"""ReadShareGroupState: reads the state of share partitions for their leader (KIP-932)."""

from __future__ import annotations

from protocol.apis import READ_SHARE_GROUP_STATE
from protocol.schema import body, int8, int16, int32, int64, since, string, struct, uuid


@body(READ_SHARE_GROUP_STATE)
class ReadShareGroupStateRequest:
    group_id: string
    topics: list[ReadStateData]


@struct
class ReadStateData:
    topic_id: uuid
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition: int32
    leader_epoch: int32


@body(READ_SHARE_GROUP_STATE)
class ReadShareGroupStateResponse:
    results: list[ReadStateResult]


@struct
class ReadStateResult:
    topic_id: uuid
    partitions: list[PartitionResult]


@struct
class PartitionResult:
    partition: int32
    error_code: int16 = 0
    error_message: string | None = None
    state_epoch: int32 = 0
    start_offset: int64 = 0
    state_batches: list[StateBatch] = since(factory=list)


@struct
class StateBatch:
    first_offset: int64
    last_offset: int64
    delivery_state: int8
    delivery_count: int16
