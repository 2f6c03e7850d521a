"""InitProducerId: assigns an id to an idempotent or transactional producer.

v2 flexible, v3 the producer's own id and epoch (KIP-360), v4 PRODUCER_FENCED, v5 transactions v2
(KIP-890).
"""

from __future__ import annotations

from protocol.apis import INIT_PRODUCER_ID
from protocol.schema import body, int16, int32, int64, since, string


@body(INIT_PRODUCER_ID)
class InitProducerIdRequest:
    transactional_id: string | None
    transaction_timeout_ms: int32
    producer_id: int64 = since(3, default=-1)
    producer_epoch: int16 = since(3, default=-1)


@body(INIT_PRODUCER_ID)
class InitProducerIdResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    producer_id: int64 = -1
    producer_epoch: int16
