"""EndTxn, and aborts by the coordinator: the value that decides the outcome of a transaction.

Protocol 1 (EndTxn up to v4):

    state            commit                     abort
    --------------   ------------------------   ------------------------
    Ongoing          PrepareCommit              PrepareAbort
    CompleteCommit   success                    INVALID_TXN_STATE
    CompleteAbort    INVALID_TXN_STATE          success
    Empty            INVALID_TXN_STATE          INVALID_TXN_STATE

Protocol 2 (KIP-890) bumps the epoch with each transaction, so that a retry (with the epoch before
the bump) and a second request (with the present epoch) differ. An abort may also end a transaction
without partitions:

    state            present epoch: commit      abort           retry: commit        abort
    --------------   ------------------------   -------------   ------------------   -------------
    Empty            INVALID_TXN_STATE          PrepareAbort    PRODUCER_FENCED      fenced
    Ongoing          PrepareCommit              PrepareAbort    PRODUCER_FENCED      fenced
    CompleteCommit   INVALID_TXN_STATE          PrepareAbort    success              invalid state
    CompleteAbort    INVALID_TXN_STATE          PrepareAbort    INVALID_TXN_STATE    success
"""

from __future__ import annotations

from collections.abc import Callable

from broker.common.errors import ApiError
from broker.transactions.metadata import TransactionMetadata, TransactionValue
from broker.transactions.requests import EndTxn
from broker.transactions.transaction_state import TransactionState
from broker.transactions.transitions import (
    EPOCH_BUMP_SINCE,
    LAST_CLIENT_EPOCH,
    fenced,
    is_epoch_exhausted,
    prepared,
)
from protocol.errors import ErrorCode
from protocol.record_batch.header import NO_PRODUCER_ID

_Ongoing = TransactionState.ONGOING


def end(
    entry: TransactionMetadata,
    request: EndTxn,
    now_ms: int,
    new_producer_id: Callable[[], int],
) -> TransactionValue | None:
    """The value that decides the outcome; None if that outcome is decided already.

    Raises `ApiError` INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED, CONCURRENT_TRANSACTIONS,
    INVALID_TXN_STATE, and those of *new_producer_id*.
    """
    if request.client_version >= EPOCH_BUMP_SINCE:
        return _end_with_epoch_bump(entry, request, now_ms, new_producer_id)
    return _end_with_present_epoch(entry, request, now_ms)


def fence(
    entry: TransactionMetadata,
    transaction_version: int,
    now_ms: int,
    new_producer_id: Callable[[], int],
) -> TransactionValue:
    """The abort of an open transaction with a bumped epoch, which fences its producer.

    With protocol 1 the bump of the epoch takes effect at once, and is not repeated if the record
    cannot be written. With protocol 2 it is part of the record. Raises `ApiError` as
    *new_producer_id*.
    """
    assert entry.value.state is _Ongoing
    assert entry.pending is None
    if transaction_version >= EPOCH_BUMP_SINCE:
        return _prepared_with_epoch_bump(entry.value, False, now_ms, new_producer_id)
    if not entry.has_failed_epoch_fence:
        entry.value = fenced(entry.value)
    return prepared(entry.value, commit=False, client_version=0, now_ms=now_ms)


def _end_with_present_epoch(
    entry: TransactionMetadata, request: EndTxn, now_ms: int
) -> TransactionValue | None:
    value = entry.value
    if value.producer_id != request.producer_id:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    if value.producer_epoch != request.producer_epoch:
        raise ApiError(ErrorCode.PRODUCER_FENCED)
    if entry.pending is not None:
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS)
    if value.state is _Ongoing:
        return prepared(value, commit=request.commit, client_version=0, now_ms=now_ms)
    _check_outcome(value, request)
    return None


def _end_with_epoch_bump(
    entry: TransactionMetadata,
    request: EndTxn,
    now_ms: int,
    new_producer_id: Callable[[], int],
) -> TransactionValue | None:
    value = entry.value
    if entry.pending is not None:
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS)
    retries_replaced_id = _retries_replaced_id(value, request)
    if value.producer_id != request.producer_id and not retries_replaced_id:
        raise ApiError(ErrorCode.INVALID_PRODUCER_ID_MAPPING)
    is_retry = retries_replaced_id or value.producer_epoch == request.producer_epoch + 1
    if is_retry and value.state not in (TransactionState.EMPTY, _Ongoing):
        _check_outcome(value, request)
        return None
    if value.producer_epoch != request.producer_epoch or value.state.is_prepared:
        raise ApiError(ErrorCode.PRODUCER_FENCED)
    if request.commit and value.state is not _Ongoing:
        raise ApiError(ErrorCode.INVALID_TXN_STATE)
    return _prepared_with_epoch_bump(value, request.commit, now_ms, new_producer_id)


def _retries_replaced_id(value: TransactionValue, request: EndTxn) -> bool:
    """Whether the request is the retry of the one that exhausted the epochs of its producer id."""
    return (
        value.prev_producer_id == request.producer_id
        and request.producer_epoch == LAST_CLIENT_EPOCH
        and value.producer_epoch == 0
    )


def _check_outcome(value: TransactionValue, request: EndTxn) -> None:
    """Raise `ApiError` if the transaction has, or will have, another outcome."""
    committed, aborted = TransactionState.COMPLETE_COMMIT, TransactionState.COMPLETE_ABORT
    if value.state is (committed if request.commit else aborted):
        return
    preparing, other = TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT
    if value.state is (preparing if request.commit else other):
        raise ApiError(ErrorCode.CONCURRENT_TRANSACTIONS)
    raise ApiError(ErrorCode.INVALID_TXN_STATE)


def _prepared_with_epoch_bump(
    value: TransactionValue, commit: bool, now_ms: int, new_producer_id: Callable[[], int]
) -> TransactionValue:
    return prepared(
        value,
        commit=commit,
        client_version=EPOCH_BUMP_SINCE,
        next_producer_id=new_producer_id() if is_epoch_exhausted(value) else NO_PRODUCER_ID,
        now_ms=now_ms,
    )
