"""AddOffsetsToTxn: adds a group's offsets to a transaction.

v3 flexible, v4 TRANSACTION_ABORTABLE (KIP-890).
"""

from __future__ import annotations

from protocol.schema import int16, int32, int64, message, string


@message(25, versions=(0, 4), flexible=3)
class AddOffsetsToTxnRequest:
    transactional_id: string
    producer_id: int64
    producer_epoch: int16
    group_id: string


@message(25, versions=(0, 4), flexible=3)
class AddOffsetsToTxnResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
