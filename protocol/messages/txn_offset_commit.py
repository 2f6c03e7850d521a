"""TxnOffsetCommit: commits offsets within a transaction.

v2 leader epochs, v3 flexible and members (KIP-447), v4 and v5 transactions v2 (KIP-890).
"""

from __future__ import annotations

from protocol.apis import TXN_OFFSET_COMMIT
from protocol.schema import body, int16, int32, int64, since, string, struct


@body(TXN_OFFSET_COMMIT)
class TxnOffsetCommitRequest:
    transactional_id: string
    group_id: string
    producer_id: int64
    producer_epoch: int16
    generation_id: int32 = since(3, default=-1)
    member_id: string = since(3, default="")
    group_instance_id: string | None = since(3, default=None)
    topics: list[TxnOffsetCommitRequestTopic]


@struct
class TxnOffsetCommitRequestTopic:
    name: string
    partitions: list[TxnOffsetCommitRequestPartition]


@struct
class TxnOffsetCommitRequestPartition:
    partition_index: int32
    committed_offset: int64
    committed_leader_epoch: int32 = since(2, default=-1)
    committed_metadata: string | None


@body(TXN_OFFSET_COMMIT)
class TxnOffsetCommitResponse:
    throttle_time_ms: int32 = 0
    topics: list[TxnOffsetCommitResponseTopic]


@struct
class TxnOffsetCommitResponseTopic:
    name: string
    partitions: list[TxnOffsetCommitResponsePartition]


@struct
class TxnOffsetCommitResponsePartition:
    partition_index: int32
    error_code: int16 = 0
