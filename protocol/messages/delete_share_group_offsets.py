"""DeleteShareGroupOffsets: deletes the state of topics of an empty share group (KIP-932)."""

from __future__ import annotations

from protocol.schema import int16, int32, message, string, struct, uuid


@message(92, versions=(0, 0), flexible=0)
class DeleteShareGroupOffsetsRequest:
    group_id: string
    topics: list[DeleteShareGroupOffsetsRequestTopic]


@struct
class DeleteShareGroupOffsetsRequestTopic:
    topic_name: string


@message(92, versions=(0, 0), flexible=0)
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
