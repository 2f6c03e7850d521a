"""EndTxn: commits or aborts a transaction.

v3 flexible, v4 TRANSACTION_ABORTABLE, v5 the next epoch (KIP-890).
"""

from __future__ import annotations

from protocol.apis import END_TXN
from protocol.schema import body, boolean, int16, int32, int64, since, string


@body(END_TXN)
class EndTxnRequest:
    transactional_id: string
    producer_id: int64
    producer_epoch: int16
    committed: boolean


@body(END_TXN)
class EndTxnResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    producer_id: int64 = since(5, default=-1)
    producer_epoch: int16 = since(5, default=-1)
