"""Adding partitions to a transaction, and checking which partitions it has (KIP-890)."""

from __future__ import annotations

from collections.abc import Collection

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.transaction_state import TransactionState
from broker.transactions.transitions import with_partitions
from protocol.errors import ErrorCode


def add(
    entry: TransactionMetadata,
    producer_id: int,
    producer_epoch: int,
    partitions: Collection[TopicPartition],
    client_version: int,
    now_ms: int,
) -> TransactionValue | None:
    """The value with *partitions*; None if the open transaction has all of them.

    Raises `ApiError` CONCURRENT_TRANSACTIONS, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED.
    """
    if entry.pending is not None:
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS)
    value = entry.value
    _check_producer(value, producer_id, producer_epoch)
    is_ongoing = value.state is TransactionState.ONGOING
    if is_ongoing and all(each in value.partitions for each in partitions):
        return None
    return with_partitions(value, partitions, client_version, now_ms)


def verify(
    entry: TransactionMetadata,
    producer_id: int,
    producer_epoch: int,
    partitions: Collection[TopicPartition],
) -> dict[TopicPartition, ErrorCode]:
    """NONE for each partition that the replicated value has, TRANSACTION_ABORTABLE for the others.

    Raises `ApiError` as `add`, but a transition that is being written does not matter.
    """
    value = entry.value
    _check_producer(value, producer_id, producer_epoch)
    return {
        each: ErrorCode.NONE if each in value.partitions else ErrorCode.TRANSACTION_ABORTABLE
        for each in partitions
    }


def _check_producer(value: TransactionValue, producer_id: int, producer_epoch: int) -> None:
    if value.producer_id != producer_id:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if value.producer_epoch != producer_epoch:
        raise ApiError(ErrorCode.PRODUCER_FENCED)
    if value.state.is_prepared:
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS)
