"""DeleteShareGroupOffsets: deletes the state of topics of an empty share group (KIP-932)."""

from __future__ import annotations

from protocol.apis import DELETE_SHARE_GROUP_OFFSETS
from protocol.schema import body, int16, int32, string, struct, uuid


@body(DELETE_SHARE_GROUP_OFFSETS)
class DeleteShareGroupOffsetsRequest:
    group_id: string
    topics: list[DeleteShareGroupOffsetsRequestTopic]


@struct
class DeleteShareGroupOffsetsRequestTopic:
    topic_name: string


@body(DELETE_SHARE_GROUP_OFFSETS)
class DeleteShareGroupOffsetsResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    responses: list[DeleteShareGroupOffsetsResponseTopic]


@struct
class DeleteShareGroupOffsetsResponseTopic:
    topic_name: string
    topic_id: uuid
    error_code: int16 = 0
    error_message: string | None = None
