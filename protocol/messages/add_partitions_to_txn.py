"""AddPartitionsToTxn: adds partitions to a transaction.

v3 flexible, v4 several transactions, for brokers (KIP-890), v5 TRANSACTION_ABORTABLE.
"""

from __future__ import annotations

from protocol.apis import ADD_PARTITIONS_TO_TXN
from protocol.schema import body, boolean, int16, int32, int64, since, string, struct


@body(ADD_PARTITIONS_TO_TXN)
class AddPartitionsToTxnRequest:
    transactions: list[AddPartitionsToTxnTransaction] = since(4, factory=list)
    v3_and_below_transactional_id: string = since(0, until=3, default="")
    v3_and_below_producer_id: int64 = since(0, until=3, default=0)
    v3_and_below_producer_epoch: int16 = since(0, until=3, default=0)
    v3_and_below_topics: list[AddPartitionsToTxnTopic] = since(0, until=3, factory=list)


@struct
class AddPartitionsToTxnTransaction:
    transactional_id: string = since(4, default="")
    producer_id: int64 = since(4, default=0)
    producer_epoch: int16 = since(4, default=0)
    verify_only: boolean = since(4, default=False)
    topics: list[AddPartitionsToTxnTopic] = since(4, factory=list)


@struct
class AddPartitionsToTxnTopic:
    name: string
    partitions: list[int32]


@body(ADD_PARTITIONS_TO_TXN)
class AddPartitionsToTxnResponse:
    throttle_time_ms: int32 = 0
    error_code: int16 = since(4, default=0)
    results_by_transaction: list[AddPartitionsToTxnResult] = since(4, factory=list)
    results_by_topic_v3_and_below: list[AddPartitionsToTxnTopicResult] = since(
        0, until=3, factory=list
    )


@struct
class AddPartitionsToTxnResult:
    transactional_id: string = since(4, default="")
    topic_results: list[AddPartitionsToTxnTopicResult] = since(4, factory=list)


@struct
class AddPartitionsToTxnTopicResult:
    name: string
    results_by_partition: list[AddPartitionsToTxnPartitionResult]


@struct
class AddPartitionsToTxnPartitionResult:
    partition_index: int32
    partition_error_code: int16
