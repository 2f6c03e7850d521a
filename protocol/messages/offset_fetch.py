"""OffsetFetch: the committed offsets of groups.

v2 null requests all, v3 throttle time, v5 leader epochs, v6 flexible, v7 require stable
(KIP-447), v8 many groups (KIP-709), v9 the consumer protocol (KIP-848), v10 topic ids.
"""

from __future__ import annotations

from protocol.apis import OFFSET_FETCH
from protocol.schema import (
    ZERO_UUID,
    body,
    boolean,
    int16,
    int32,
    int64,
    since,
    string,
    struct,
    uuid,
)


@body(OFFSET_FETCH)
class OffsetFetchRequest:
    group_id: string = since(0, until=7, default="")
    topics: list[OffsetFetchRequestTopic] | None = since(0, until=7, null=2, factory=list)
    groups: list[OffsetFetchRequestGroup] = since(8, factory=list)
    require_stable: boolean = since(7, default=False)


@struct
class OffsetFetchRequestTopic:
    name: string = since(0, until=7, default="")
    partition_indexes: list[int32] = since(0, until=7, factory=list)


@struct
class OffsetFetchRequestGroup:
    group_id: string = since(8, default="")
    member_id: string | None = since(9, default=None)
    member_epoch: int32 = since(9, default=-1)
    topics: list[OffsetFetchRequestTopics] | None = since(8, factory=list)


@struct
class OffsetFetchRequestTopics:
    name: string = since(8, until=9, default="")
    topic_id: uuid = since(10, default=ZERO_UUID)
    partition_indexes: list[int32] = since(8, factory=list)


@body(OFFSET_FETCH)
class OffsetFetchResponse:
    throttle_time_ms: int32 = since(3, default=0)
    topics: list[OffsetFetchResponseTopic] = since(0, until=7, factory=list)
    error_code: int16 = since(2, until=7, default=0)
    groups: list[OffsetFetchResponseGroup] = since(8, factory=list)


@struct
class OffsetFetchResponseTopic:
    name: string = since(0, until=7, default="")
    partitions: list[OffsetFetchResponsePartition] = since(0, until=7, factory=list)


@struct
class OffsetFetchResponsePartition:
    partition_index: int32 = since(0, until=7, default=0)
    committed_offset: int64 = since(0, until=7, default=0)
    committed_leader_epoch: int32 = since(5, until=7, default=-1)
    metadata: string | None = since(0, until=7, default="")
    error_code: int16 = since(0, until=7, default=0)


@struct
class OffsetFetchResponseGroup:
    group_id: string = since(8, default="")
    topics: list[OffsetFetchResponseTopics] = since(8, factory=list)
    error_code: int16 = since(8, default=0)


@struct
class OffsetFetchResponseTopics:
    name: string = since(8, until=9, default="")
    topic_id: uuid = since(10, default=ZERO_UUID)
    partitions: list[OffsetFetchResponsePartitions] = since(8, factory=list)


@struct
class OffsetFetchResponsePartitions:
    partition_index: int32 = since(8, default=0)
    committed_offset: int64 = since(8, default=0)
    committed_leader_epoch: int32 = since(8, default=-1)
    metadata: string | None = since(8, default="")
    error_code: int16 = since(8, default=0)
