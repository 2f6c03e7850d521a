"""Metadata: brokers, topics, partitions and their leaders.

v0 empty requests all, v1 null does; v2 cluster id, v4 auto-creation, v5 offline replicas, v7
leader epochs, v8 authorized operations (KIP-430), v9 flexible, v10 topic ids (KIP-516), v11 no
cluster operations, v12 topics by id, v13 a top-level error (KIP-1102).
"""

from __future__ import annotations

from protocol.apis import METADATA
from protocol.schema import (
    ZERO_UUID,
    body,
    boolean,
    encoded,
    int16,
    int32,
    since,
    string,
    struct,
    uuid,
)


@body(METADATA)
class MetadataRequest:
    topics: list[MetadataRequestTopic] | None = since(null=1)
    allow_auto_topic_creation: boolean = since(4, default=True)
    include_cluster_authorized_operations: boolean = since(8, until=10, default=False)
    include_topic_authorized_operations: boolean = since(8, default=False)


@struct
class MetadataRequestTopic:
    topic_id: uuid = since(10, default=ZERO_UUID)
    name: string | None = since(null=10)


@body(METADATA)
class MetadataResponse:
    throttle_time_ms: int32 = since(3, default=0)
    brokers: list[MetadataResponseBroker]
    cluster_id: string | None = since(2, default=None)
    controller_id: int32 = since(1, default=-1)
    topics: list[MetadataResponseTopic]
    cluster_authorized_operations: int32 = since(8, until=10, default=-(2**31))
    error_code: int16 = since(13, default=0)


@body(METADATA)
class EncodedMetadataResponse:
    """A `MetadataResponse` with encoded topics, to be written only."""

    throttle_time_ms: int32 = since(3, default=0)
    brokers: list[MetadataResponseBroker]
    cluster_id: string | None = since(2, default=None)
    controller_id: int32 = since(1, default=-1)
    topics: list[encoded]
    cluster_authorized_operations: int32 = since(8, until=10, default=-(2**31))
    error_code: int16 = since(13, default=0)


@struct
class MetadataResponseBroker:
    node_id: int32
    host: string
    port: int32
    rack: string | None = since(1, default=None)


@struct
class MetadataResponseTopic:
    error_code: int16 = 0
    name: string | None = since(null=12)
    topic_id: uuid = since(10, default=ZERO_UUID)
    is_internal: boolean = since(1, default=False)
    partitions: list[MetadataResponsePartition]
    topic_authorized_operations: int32 = since(8, default=-(2**31))


@struct
class MetadataResponsePartition:
    error_code: int16 = 0
    partition_index: int32
    leader_id: int32
    leader_epoch: int32 = since(7, default=-1)
    replica_nodes: list[int32]
    isr_nodes: list[int32]
    offline_replicas: list[int32] = since(5, factory=list)
