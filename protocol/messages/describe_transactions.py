"""DescribeTransactions: the state of transactional ids (KIP-664)."""

from __future__ import annotations

from protocol.apis import DESCRIBE_TRANSACTIONS
from protocol.schema import body, encoded, int16, int32, int64, since, string, struct


@body(DESCRIBE_TRANSACTIONS)
class DescribeTransactionsRequest:
    transactional_ids: list[string]


@body(DESCRIBE_TRANSACTIONS)
class DescribeTransactionsResponse:
    throttle_time_ms: int32 = 0
    transaction_states: list[TransactionState]


@body(DESCRIBE_TRANSACTIONS)
class EncodedDescribeTransactionsResponse:
    """A `DescribeTransactionsResponse` with encoded states, to be written only."""

    throttle_time_ms: int32 = 0
    transaction_states: list[encoded]


@struct
class TransactionState:
    error_code: int16 = 0
    transactional_id: string
    transaction_state: string = ""
    transaction_timeout_ms: int32 = 0
    transaction_start_time_ms: int64 = 0
    producer_id: int64 = 0
    producer_epoch: int16 = 0
    topics: list[TopicData] = since(factory=list)


@struct
class TopicData:
    topic: string
    partitions: list[int32]
