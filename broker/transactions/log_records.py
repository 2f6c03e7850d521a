"""The records of ``__transaction_state`` as bytes (Kafka's ``TransactionLog``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from broker.common.errors import ApiError
from broker.common.topic_partition import TopicPartition
from broker.coordinators.coordinator_record import CoordinatorRecord, CoordinatorRecordSerde
from broker.transactions.metadata import TransactionValue
from broker.transactions.transaction_partitions import PartitionsSchema, TransactionPartitions
from broker.transactions.transaction_state import TransactionState
from protocol.errors import ErrorCode
from protocol.schema import encoded, int8, int16, int32, int64, message, since, string


@message(0, versions=(0, 0))
class TransactionLogKey:
    """The key of the records of a transactional id."""

    transactional_id: string


@message(0, versions=(0, 1), flexible=1)
class TransactionLogValue:
    """The state of a transactional id."""

    producer_id: int64
    previous_producer_id: int64 = since(1, tag=0, default=-1)
    next_producer_id: int64 = since(1, tag=1, default=-1)
    producer_epoch: int16
    transaction_timeout_ms: int32
    transaction_status: int8
    transaction_partitions: list[PartitionsSchema] | None
    transaction_last_update_timestamp_ms: int64
    transaction_start_timestamp_ms: int64
    client_transaction_version: int16 = since(1, tag=2, default=0)


@message(0, versions=(0, 1), flexible=1)
class EncodedTransactionLogValue:
    """A `TransactionLogValue` with encoded partitions, to be written only."""

    producer_id: int64
    previous_producer_id: int64 = since(1, tag=0, default=-1)
    next_producer_id: int64 = since(1, tag=1, default=-1)
    producer_epoch: int16
    transaction_timeout_ms: int32
    transaction_status: int8
    transaction_partitions: list[encoded] | None
    transaction_last_update_timestamp_ms: int64
    transaction_start_timestamp_ms: int64
    client_transaction_version: int16 = since(1, tag=2, default=0)


# The feature levels of ``transaction.version`` at which values are written in version 1.
_TAGGED_FIELDS_SINCE = 1


def transaction_records(transaction_version: Callable[[], int]) -> CoordinatorRecordSerde:
    """The serializer of a cluster whose finalized ``transaction.version`` is that level.

    It raises `ApiError` UNSUPPORTED_VERSION for a value of protocol 2 while the level is 0.

    Deviation: the id can be used after that. In Kafka all its requests get CONCURRENT_TRANSACTIONS
    until its coordinator moves.
    """

    def version_of(value: Any) -> int:
        version = _version(transaction_version())
        if version == 0 and value.client_transaction_version:
            raise ApiError(ErrorCode.UNSUPPORTED_VERSION)
        return version

    return CoordinatorRecordSerde([(TransactionLogKey, TransactionLogValue)], version_of)


def _version(transaction_version: int) -> int:
    return 1 if transaction_version >= _TAGGED_FIELDS_SINCE else 0


def transaction_record(
    transactional_id: str, value: TransactionValue, transaction_version: int
) -> CoordinatorRecord:
    """The record of a transition, for the present level of ``transaction.version``.

    An empty transaction has no partitions, not an empty list.
    """
    partitions = None
    if value.state is not TransactionState.EMPTY:
        partitions = value.partitions.encoded(_version(transaction_version))
    return CoordinatorRecord(
        TransactionLogKey(transactional_id=transactional_id),
        EncodedTransactionLogValue(
            producer_id=value.producer_id,
            previous_producer_id=value.prev_producer_id,
            next_producer_id=value.next_producer_id,
            producer_epoch=value.producer_epoch,
            transaction_timeout_ms=value.timeout_ms,
            transaction_status=value.state,
            transaction_partitions=partitions,
            transaction_last_update_timestamp_ms=value.last_update_ms,
            transaction_start_timestamp_ms=value.start_ms,
            client_transaction_version=value.client_transaction_version,
        ),
    )


def tombstone(transactional_id: str) -> CoordinatorRecord:
    """The record that removes a transactional id."""
    return CoordinatorRecord(TransactionLogKey(transactional_id=transactional_id))


def value_of(logged: TransactionLogValue) -> TransactionValue:
    """The state that a record contains; raises `ValueError` for an unknown state."""
    return TransactionValue(
        producer_id=logged.producer_id,
        producer_epoch=logged.producer_epoch,
        prev_producer_id=logged.previous_producer_id,
        next_producer_id=logged.next_producer_id,
        timeout_ms=logged.transaction_timeout_ms,
        state=TransactionState(logged.transaction_status),
        partitions=TransactionPartitions(
            TopicPartition(topic.topic, index)
            for topic in logged.transaction_partitions or ()
            for index in topic.partition_ids
        ),
        start_ms=logged.transaction_start_timestamp_ms,
        last_update_ms=logged.transaction_last_update_timestamp_ms,
        client_transaction_version=logged.client_transaction_version,
    )
