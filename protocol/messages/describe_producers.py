"""DescribeProducers: the idempotent producers of partitions (KIP-664)."""

from __future__ import annotations

from protocol.apis import DESCRIBE_PRODUCERS
from protocol.schema import body, int16, int32, int64, string, struct


@body(DESCRIBE_PRODUCERS)
class DescribeProducersRequest:
    topics: list[TopicRequest]


@struct
class TopicRequest:
    name: string
    partition_indexes: list[int32]


@body(DESCRIBE_PRODUCERS)
class DescribeProducersResponse:
    throttle_time_ms: int32 = 0
    topics: list[TopicResponse]


@struct
class TopicResponse:
    name: string
    partitions: list[PartitionResponse]


@struct
class PartitionResponse:
    partition_index: int32
    error_code: int16 = 0
    error_message: string | None = None
    active_producers: list[ProducerState]


@struct
class ProducerState:
    producer_id: int64
    producer_epoch: int32
    last_sequence: int32 = -1
    last_timestamp: int64 = -1
    coordinator_epoch: int32
    current_txn_start_offset: int64 = -1
