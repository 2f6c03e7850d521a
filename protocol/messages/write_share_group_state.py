"""WriteShareGroupState: stores changes of the state of share partitions (KIP-932).

v1 the number of completed deliveries (KIP-1226).
"""

from __future__ import annotations

from protocol.apis import WRITE_SHARE_GROUP_STATE
from protocol.messages.read_share_group_state import StateBatch
from protocol.schema import body, int16, int32, int64, since, string, struct, uuid


@body(WRITE_SHARE_GROUP_STATE)
class WriteShareGroupStateRequest:
    group_id: string
    topics: list[WriteStateData]


@struct
class WriteStateData:
    topic_id: uuid
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition: int32
    state_epoch: int32
    leader_epoch: int32
    start_offset: int64
    delivery_complete_count: int32 = since(1, default=-1)
    state_batches: list[StateBatch]


@body(WRITE_SHARE_GROUP_STATE)
class WriteShareGroupStateResponse:
    results: list[WriteStateResult]


@struct
class WriteStateResult:
    topic_id: uuid
    partitions: list[PartitionResult]


@struct
class PartitionResult:
    partition: int32
    error_code: int16 = 0
    error_message: string | None = None
