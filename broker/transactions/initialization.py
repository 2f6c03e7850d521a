"""InitProducerId: which identity a producer gets (``prepareInitProducerIdTransit``; KIP-360).

state of the id              without an identity     with its own identity (x the epoch given)
-------------------------    --------------------    -----------------------------------------
Empty, CompleteCommit,       epoch c + 1             x = c: c + 1; x is the last epoch: c again;
CompleteAbort at epoch c                             other: PRODUCER_FENCED
the same, c exhausted        new producer id         x = c: new producer id; else as above
Ongoing                      the transaction is aborted first, then the client retries
PrepareCommit, PrepareAbort  CONCURRENT_TRANSACTIONS
"""

from __future__ import annotations

from collections.abc import Callable

from broker.common.errors import ApiError
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.requests import ProducerIdAndEpoch
from broker.transactions.transaction_state import TransactionState
from broker.transactions.transitions import (
    LAST_CLIENT_EPOCH,
    initialized,
    is_epoch_exhausted,
)
from protocol.errors import ErrorCode
from protocol.record_batch.header import NO_PRODUCER_EPOCH


def new_value(producer_id: int, timeout_ms: int, now_ms: int) -> TransactionValue:
    """The value of an id without records: it has no epoch yet."""
    return TransactionValue(
        producer_id=producer_id,
        producer_epoch=NO_PRODUCER_EPOCH,
        timeout_ms=timeout_ms,
        state=TransactionState.EMPTY,
        last_update_ms=now_ms,
    )


def initialize(
    entry: TransactionMetadata,
    expected: ProducerIdAndEpoch | None,
    timeout_ms: int,
    now_ms: int,
    new_producer_id: Callable[[], int],
) -> TransactionValue | None:
    """The value that gives the producer its identity; None: abort the open transaction first.

    Raises `ApiError` CONCURRENT_TRANSACTIONS, PRODUCER_FENCED, and those of *new_producer_id*.
    """
    value = entry.value
    if entry.pending is not None:
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS)
    if expected is not None and not _may_continue(value, expected):
        raise ApiError(ErrorCode.PRODUCER_FENCED)
    if value.state.is_prepared:
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS)
    if value.state is TransactionState.ONGOING:
        return None
    assert value.state.is_idle
    if is_epoch_exhausted(value) and (
        expected is None or expected.producer_epoch == value.producer_epoch
    ):
        last_epoch = NO_PRODUCER_EPOCH if expected is None else value.producer_epoch
        return initialized(value, new_producer_id(), 0, last_epoch, timeout_ms, now_ms)
    epoch, last_epoch = _next_epoch(value, expected)
    return initialized(value, value.producer_id, epoch, last_epoch, timeout_ms, now_ms)


def _may_continue(value: TransactionValue, expected: ProducerIdAndEpoch) -> bool:
    """Whether *expected* may be the identity of the last producer, or of one whose id was replaced.

    The epoch is checked later.
    """
    return (
        value.producer_epoch == NO_PRODUCER_EPOCH
        or expected.producer_id == value.producer_id
        or (
            expected.producer_id == value.prev_producer_id
            and expected.producer_epoch >= LAST_CLIENT_EPOCH
        )
    )


def _next_epoch(value: TransactionValue, expected: ProducerIdAndEpoch | None) -> tuple[int, int]:
    """The epoch and the last epoch; `ApiError` PRODUCER_FENCED.

    UNKNOWN_SERVER_ERROR if the epoch is exhausted, as in Kafka, where it is an internal exception.
    """
    if is_epoch_exhausted(value):
        raise ApiError(ErrorCode.UNKNOWN_SERVER_ERROR)
    epoch = value.producer_epoch
    if expected is None:
        return epoch + 1, NO_PRODUCER_EPOCH
    if epoch in (NO_PRODUCER_EPOCH, expected.producer_epoch):
        return epoch + 1, epoch
    if expected.producer_epoch == value.last_producer_epoch:
        return epoch, value.last_producer_epoch
    raise ApiError(ErrorCode.PRODUCER_FENCED)
