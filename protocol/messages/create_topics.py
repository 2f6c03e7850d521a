"""CreateTopics: creates topics.

v4 defaults (KIP-464), v5 flexible and the configs in the response (KIP-525), v6 quotas (KIP-599),
v7 topic ids (KIP-516).
"""

from __future__ import annotations

from protocol.apis import CREATE_TOPICS
from protocol.schema import (
    ZERO_UUID,
    body,
    boolean,
    int8,
    int16,
    int32,
    since,
    string,
    struct,
    uuid,
)


@body(CREATE_TOPICS)
class CreateTopicsRequest:
    topics: list[CreatableTopic]
    timeout_ms: int32 = 60000
    validate_only: boolean = False


@struct
class CreatableTopic:
    name: string
    num_partitions: int32
    replication_factor: int16
    assignments: list[CreatableReplicaAssignment]
    configs: list[CreatableTopicConfig]


@struct
class CreatableReplicaAssignment:
    partition_index: int32
    broker_ids: list[int32]


@struct
class CreatableTopicConfig:
    name: string
    value: string | None


@body(CREATE_TOPICS)
class CreateTopicsResponse:
    throttle_time_ms: int32 = 0
    topics: list[CreatableTopicResult]


@struct
class CreatableTopicResult:
    name: string
    topic_id: uuid = since(7, default=ZERO_UUID)
    error_code: int16 = 0
    error_message: string | None = None
    topic_config_error_code: int16 = since(5, tag=0, default=0)
    num_partitions: int32 = since(5, default=-1)
    replication_factor: int16 = since(5, default=-1)
    configs: list[CreatableTopicConfigs] | None = since(5, factory=list)


@struct
class CreatableTopicConfigs:
    name: string = since(5, default="")
    value: string | None = since(5, default="")
    read_only: boolean = since(5, default=False)
    config_source: int8 = since(5, default=-1)
    is_sensitive: boolean = since(5, default=False)
