"""ShareFetch: acquires records of share partitions, and acknowledges others (KIP-932).

v2 the acquire mode (KIP-1206) and renewed locks (KIP-1222).
"""

from __future__ import annotations

from protocol.apis import SHARE_FETCH
from protocol.schema import (
    body,
    boolean,
    int8,
    int16,
    int32,
    int64,
    record_set,
    since,
    string,
    struct,
    uuid,
)


@body(SHARE_FETCH)
class ShareFetchRequest:
    group_id: string | None = None
    member_id: string | None
    share_session_epoch: int32
    max_wait_ms: int32
    min_bytes: int32
    max_bytes: int32 = 2**31 - 1
    max_records: int32
    batch_size: int32
    share_acquire_mode: int8 = since(2, default=0)
    is_renew_ack: boolean = since(2, default=False)
    topics: list[FetchTopic]
    forgotten_topics_data: list[ForgottenTopic]


@struct
class FetchTopic:
    topic_id: uuid
    partitions: list[FetchPartition]


@struct
class FetchPartition:
    partition_index: int32
    acknowledgement_batches: list[AcknowledgementBatch]


@struct
class AcknowledgementBatch:
    first_offset: int64
    last_offset: int64
    acknowledge_types: list[int8]


@struct
class ForgottenTopic:
    topic_id: uuid
    partitions: list[int32]


@body(SHARE_FETCH)
class ShareFetchResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    acquisition_lock_timeout_ms: int32 = 0
    responses: list[ShareFetchableTopicResponse]
    node_endpoints: list[NodeEndpoint]


@struct
class ShareFetchableTopicResponse:
    topic_id: uuid
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition_index: int32
    error_code: int16 = 0
    error_message: string | None = None
    acknowledge_error_code: int16 = 0
    acknowledge_error_message: string | None = None
    current_leader: LeaderIdAndEpoch
    records: record_set
    acquired_records: list[AcquiredRecords]


@struct
class LeaderIdAndEpoch:
    leader_id: int32
    leader_epoch: int32


@struct
class AcquiredRecords:
    first_offset: int64
    last_offset: int64
    delivery_count: int16


@struct
class NodeEndpoint:
    node_id: int32
    host: string
    port: int32
    rack: string | None = None
