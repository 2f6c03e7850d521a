"""Fetch: reads record batches from partitions, waiting for them if necessary.

v4 isolation level, v5 log start offset, v7 sessions (KIP-227), v9 leader epochs (KIP-320), v10
zstd (KIP-110), v11 rack id (KIP-392), v12 flexible and diverging epochs (KIP-595), v13 topic ids
(KIP-516), v14 tiered storage (KIP-405), v15 replica state (KIP-903), v16 node endpoints
(KIP-951), v17 directory id (KIP-853), v18 the follower's high watermark (KIP-1166).
"""

from __future__ import annotations

from protocol.apis import FETCH
from protocol.schema import (
    ZERO_UUID,
    body,
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


@body(FETCH)
class FetchRequest:
    cluster_id: string | None = since(12, tag=0, default=None)
    replica_id: int32 = since(0, until=14, default=-1)
    replica_state: ReplicaState | None = since(15, tag=1, default=None)
    max_wait_ms: int32
    min_bytes: int32
    max_bytes: int32 = 2**31 - 1
    isolation_level: int8 = 0
    session_id: int32 = since(7, default=0)
    session_epoch: int32 = since(7, default=-1)
    topics: list[FetchTopic]
    forgotten_topics_data: list[ForgottenTopic] = since(7, factory=list)
    rack_id: string = since(11, default="")


@struct
class ReplicaState:
    replica_id: int32 = since(15, default=-1)
    replica_epoch: int64 = since(15, default=-1)


@struct
class FetchTopic:
    topic: string = since(0, until=12, default="")
    topic_id: uuid = since(13, default=ZERO_UUID)
    partitions: list[FetchPartition]


@struct
class FetchPartition:
    partition: int32
    current_leader_epoch: int32 = since(9, default=-1)
    fetch_offset: int64
    last_fetched_epoch: int32 = since(12, default=-1)
    log_start_offset: int64 = since(5, default=-1)
    partition_max_bytes: int32
    replica_directory_id: uuid = since(17, tag=0, default=ZERO_UUID)
    high_watermark: int64 = since(18, tag=1, default=2**63 - 1)


@struct
class ForgottenTopic:
    topic: string = since(7, until=12, default="")
    topic_id: uuid = since(13, default=ZERO_UUID)
    partitions: list[int32] = since(7, factory=list)


@body(FETCH)
class FetchResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = since(7, default=0)
    session_id: int32 = since(7, default=0)
    responses: list[FetchableTopicResponse]
    node_endpoints: list[NodeEndpoint] = since(16, tag=0, factory=list)


@struct
class FetchableTopicResponse:
    topic: string = since(0, until=12, default="")
    topic_id: uuid = since(13, default=ZERO_UUID)
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition_index: int32
    error_code: int16 = 0
    high_watermark: int64
    last_stable_offset: int64 = -1
    log_start_offset: int64 = since(5, default=-1)
    diverging_epoch: EpochEndOffset | None = since(12, tag=0, default=None)
    current_leader: LeaderIdAndEpoch | None = since(12, tag=1, default=None)
    snapshot_id: SnapshotId | None = since(12, tag=2, default=None)
    aborted_transactions: list[AbortedTransaction] | None = None
    preferred_read_replica: int32 = since(11, default=-1)
    records: record_set | None


@struct
class EpochEndOffset:
    epoch: int32 = since(12, default=-1)
    end_offset: int64 = since(12, default=-1)


@struct
class LeaderIdAndEpoch:
    leader_id: int32 = since(12, default=-1)
    leader_epoch: int32 = since(12, default=-1)


@struct
class SnapshotId:
    end_offset: int64 = -1
    epoch: int32 = -1


@struct
class AbortedTransaction:
    producer_id: int64
    first_offset: int64


@struct
class NodeEndpoint:
    node_id: int32 = since(16, default=0)
    host: string = since(16, default="")
    port: int32 = since(16, default=0)
    rack: string | None = since(16, default=None)
