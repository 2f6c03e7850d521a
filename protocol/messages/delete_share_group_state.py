"""DeleteShareGroupState: deletes the state of share partitions (KIP-932)."""

from __future__ import annotations

from protocol.schema import int16, int32, message, string, struct, uuid


@message(86, versions=(0, 0), flexible=0)
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


@message(86, versions=(0, 0), flexible=0)
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
