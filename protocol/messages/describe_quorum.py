"""DescribeQuorum: the replicas of the cluster metadata log, and their log end offsets (KIP-595).

v1 times of fetches (KIP-836), v2 directories, nodes and messages (KIP-853).
"""

from __future__ import annotations

from protocol.apis import DESCRIBE_QUORUM
from protocol.schema import (
    ZERO_UUID,
    body,
    int16,
    int32,
    int64,
    since,
    string,
    struct,
    uint16,
    uuid,
)


@body(DESCRIBE_QUORUM)
class DescribeQuorumRequest:
    topics: list[TopicRequest]


@struct
class TopicRequest:
    topic_name: string
    partitions: list[PartitionRequest]


@struct
class PartitionRequest:
    partition_index: int32


@body(DESCRIBE_QUORUM)
class DescribeQuorumResponse:
    error_code: int16 = 0
    error_message: string | None = since(2, default=None)
    topics: list[TopicData]
    nodes: list[Node] = since(2, factory=list)


@struct
class TopicData:
    topic_name: string
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition_index: int32
    error_code: int16 = 0
    error_message: string | None = since(2, default=None)
    leader_id: int32
    leader_epoch: int32
    high_watermark: int64
    current_voters: list[ReplicaState]
    observers: list[ReplicaState]


@struct
class ReplicaState:
    replica_id: int32
    replica_directory_id: uuid = since(2, default=ZERO_UUID)
    log_end_offset: int64
    last_fetch_timestamp: int64 = since(1, default=-1)
    last_caught_up_timestamp: int64 = since(1, default=-1)


@struct
class Node:
    node_id: int32 = since(2, default=0)
    listeners: list[Listener] = since(2, factory=list)


@struct
class Listener:
    name: string = since(2, default="")
    host: string = since(2, default="")
    port: uint16 = since(2, default=0)
