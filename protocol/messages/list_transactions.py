"""ListTransactions: the transactional ids that a broker coordinates (KIP-664).

v1 a filter by duration (KIP-994), v2 a filter by a pattern of ids (KIP-1152).
"""

from __future__ import annotations

from protocol.apis import LIST_TRANSACTIONS
from protocol.schema import body, int16, int32, int64, since, string, struct


@body(LIST_TRANSACTIONS)
class ListTransactionsRequest:
    state_filters: list[string]
    producer_id_filters: list[int64]
    duration_filter: int64 = since(1, default=-1)
    transactional_id_pattern: string | None = since(2, null=2, default=None)


@body(LIST_TRANSACTIONS)
class ListTransactionsResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = 0
    unknown_state_filters: list[string] = since(factory=list)
    transaction_states: list[TransactionState] = since(factory=list)


@struct
class TransactionState:
    transactional_id: string
    producer_id: int64
    transaction_state: string
