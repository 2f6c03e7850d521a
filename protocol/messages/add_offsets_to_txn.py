"""AddOffsetsToTxn: adds a group's offsets to a transaction.

v3 flexible, v4 TRANSACTION_ABORTABLE (KIP-890).
"""

from __future__ import annotations

from protocol.apis import ADD_OFFSETS_TO_TXN
from protocol.schema import body, int16, int32, int64, string


@body(ADD_OFFSETS_TO_TXN)
class AddOffsetsToTxnRequest:
    transactional_id: string
    producer_id: int64
    producer_epoch: int16
    group_id: string


@body(ADD_OFFSETS_TO_TXN)
class AddOffsetsToTxnResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
