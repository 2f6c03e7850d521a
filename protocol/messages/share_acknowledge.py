"""ShareAcknowledge: acknowledges the records that a member has acquired (KIP-932).

v2 renewed locks (KIP-1222).
"""

from __future__ import annotations

from protocol.apis import SHARE_ACKNOWLEDGE
from protocol.messages.share_fetch import AcknowledgementBatch, LeaderIdAndEpoch, NodeEndpoint
from protocol.schema import body, boolean, int16, int32, since, string, struct, uuid


@body(SHARE_ACKNOWLEDGE)
class ShareAcknowledgeRequest:
    group_id: string | None = None
    member_id: string | None
    share_session_epoch: int32
    is_renew_ack: boolean = since(2, default=False)
    topics: list[AcknowledgeTopic]


@struct
class AcknowledgeTopic:
    topic_id: uuid
    partitions: list[AcknowledgePartition]


@struct
class AcknowledgePartition:
    partition_index: int32
    acknowledgement_batches: list[AcknowledgementBatch]


@body(SHARE_ACKNOWLEDGE)
class ShareAcknowledgeResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    error_message: string | None = None
    acquisition_lock_timeout_ms: int32 = since(2, default=0)
    responses: list[ShareAcknowledgeTopicResponse]
    node_endpoints: list[NodeEndpoint]


@struct
class ShareAcknowledgeTopicResponse:
    topic_id: uuid
    partitions: list[PartitionData]


@struct
class PartitionData:
    partition_index: int32
    error_code: int16 = 0
    error_message: string | None = None
    current_leader: LeaderIdAndEpoch
