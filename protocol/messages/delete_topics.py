"""DeleteTopics: deletes topics.

v4 flexible, v5 error messages (KIP-599), v6 by topic id (KIP-516).
"""

from __future__ import annotations

from protocol.apis import DELETE_TOPICS
from protocol.schema import ZERO_UUID, body, int16, int32, since, string, struct, uuid


@body(DELETE_TOPICS)
class DeleteTopicsRequest:
    topics: list[DeleteTopicState] = since(6, factory=list)
    topic_names: list[string] = since(0, until=5, factory=list)
    timeout_ms: int32


@struct
class DeleteTopicState:
    name: string | None = since(6, default=None)
    topic_id: uuid = since(6, default=ZERO_UUID)


@body(DELETE_TOPICS)
class DeleteTopicsResponse:
    throttle_time_ms: int32 = 0
    responses: list[DeletableTopicResult]


@struct
class DeletableTopicResult:
    name: string | None = since(null=6)
    topic_id: uuid = since(6, default=ZERO_UUID)
    error_code: int16 = 0
    error_message: string | None = since(5, default=None)
