"""Produce: appends record batches to partitions.

v3 transactions and magic 2, v5 log start offset, v7 zstd (KIP-110), v8 record errors (KIP-467),
v9 flexible, v10 the new leader in errors (KIP-951), v11 and v12 transactions v2 (KIP-890), v13
topic ids (KIP-516).
"""

from __future__ import annotations

from protocol.apis import PRODUCE
from protocol.schema import (
    ZERO_UUID,
    body,
    int16,
    int32,
    int64,
    record_set,
    since,
    string,
    struct,
    uuid,
)


@body(PRODUCE)
class ProduceRequest:
    transactional_id: string | None = None
    acks: int16
    timeout_ms: int32
    topic_data: list[TopicProduceData]


@struct
class TopicProduceData:
    name: string = since(0, until=12, default="")
    topic_id: uuid = since(13, default=ZERO_UUID)
    partition_data: list[PartitionProduceData]


@struct
class PartitionProduceData:
    index: int32
    records: record_set | None


@body(PRODUCE)
class ProduceResponse:
    responses: list[TopicProduceResponse]
    throttle_time_ms: int32 = 0
    node_endpoints: list[NodeEndpoint] = since(10, tag=0, factory=list)


@struct
class TopicProduceResponse:
    name: string = since(0, until=12, default="")
    topic_id: uuid = since(13, default=ZERO_UUID)
    partition_responses: list[PartitionProduceResponse]


@struct
class PartitionProduceResponse:
    index: int32
    error_code: int16 = 0
    base_offset: int64
    log_append_time_ms: int64 = -1
    log_start_offset: int64 = since(5, default=-1)
    record_errors: list[BatchIndexAndErrorMessage] = since(8, factory=list)
    error_message: string | None = since(8, default=None)
    current_leader: LeaderIdAndEpoch | None = since(10, tag=0, default=None)


@struct
class BatchIndexAndErrorMessage:
    batch_index: int32 = since(8, default=0)
    batch_index_error_message: string | None = since(8, default=None)


@struct
class LeaderIdAndEpoch:
    leader_id: int32 = since(10, default=-1)
    leader_epoch: int32 = since(10, default=-1)


@struct
class NodeEndpoint:
    node_id: int32 = since(10, default=0)
    host: string = since(10, default="")
    port: int32 = since(10, default=0)
    rack: string | None = since(10, default=None)
