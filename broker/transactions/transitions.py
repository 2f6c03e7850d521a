"""The next value of a transactional id for each transition, and the rules that values must obey.

Kafka's ``TransactionMetadata``. Each function returns the value that the log record of the
transition contains; nothing is changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from broker.common.topic_partition import TopicPartition
from broker.transactions.metadata import NO_PARTITIONS, NO_START_MS, TransactionValue
from broker.transactions.transaction_state import TransactionState
from protocol.record_batch.header import NO_PRODUCER_EPOCH, NO_PRODUCER_ID

# Clients use no higher epoch; the next one is for the marker of the last transaction.
LAST_CLIENT_EPOCH = 2**15 - 2
# From this level of ``transaction.version`` on, the end of a transaction bumps the epoch (KIP-890).
EPOCH_BUMP_SINCE = 2

_EMPTY = TransactionState.EMPTY
_ONGOING = TransactionState.ONGOING
_PREPARE_COMMIT = TransactionState.PREPARE_COMMIT
_PREPARE_ABORT = TransactionState.PREPARE_ABORT
_COMPLETE_COMMIT = TransactionState.COMPLETE_COMMIT
_COMPLETE_ABORT = TransactionState.COMPLETE_ABORT
_DEAD = TransactionState.DEAD

# The states that each state may follow.
_PREDECESSORS = {
    _EMPTY: {_EMPTY, _COMPLETE_COMMIT, _COMPLETE_ABORT},
    _ONGOING: {_ONGOING, _EMPTY, _COMPLETE_COMMIT, _COMPLETE_ABORT},
    _PREPARE_COMMIT: {_ONGOING},
    _PREPARE_ABORT: {_ONGOING, _EMPTY, _COMPLETE_COMMIT, _COMPLETE_ABORT},
    _COMPLETE_COMMIT: {_PREPARE_COMMIT},
    _COMPLETE_ABORT: {_PREPARE_ABORT},
    _DEAD: {_EMPTY, _COMPLETE_COMMIT, _COMPLETE_ABORT},
}


def is_epoch_exhausted(value: TransactionValue) -> bool:
    """Whether the producer id has no further epoch for clients."""
    return value.producer_epoch >= LAST_CLIENT_EPOCH


def initialized(
    value: TransactionValue,
    producer_id: int,
    producer_epoch: int,
    last_producer_epoch: int,
    timeout_ms: int,
    now_ms: int,
) -> TransactionValue:
    """The value after InitProducerId: Empty, with this identity."""
    return replace(
        value,
        producer_id=producer_id,
        prev_producer_id=value.producer_id,
        producer_epoch=producer_epoch,
        last_producer_epoch=last_producer_epoch,
        timeout_ms=timeout_ms,
        state=_EMPTY,
        partitions=NO_PARTITIONS,
        start_ms=NO_START_MS,
        last_update_ms=now_ms,
    )


def with_partitions(
    value: TransactionValue,
    partitions: Iterable[TopicPartition],
    client_version: int,
    now_ms: int,
) -> TransactionValue:
    """The value after *partitions* were added; the first ones start the transaction."""
    return replace(
        value,
        prev_producer_id=value.producer_id,
        state=_ONGOING,
        partitions=value.partitions.with_added(partitions),
        start_ms=value.start_ms if value.state is _ONGOING else now_ms,
        last_update_ms=now_ms,
        client_transaction_version=client_version,
    )


def prepared(
    value: TransactionValue,
    *,
    commit: bool,
    client_version: int,
    next_producer_id: int = NO_PRODUCER_ID,
    now_ms: int,
) -> TransactionValue:
    """The value that decides the outcome.

    With protocol 2 it has the bumped epoch, which the markers get too. An abort of nothing, which
    only that protocol has, starts the transaction at *now_ms*.
    """
    epoch, last_epoch = value.producer_epoch, value.last_producer_epoch
    if client_version >= EPOCH_BUMP_SINCE:
        epoch, last_epoch = epoch + 1, epoch
    return replace(
        value,
        prev_producer_id=value.producer_id,
        next_producer_id=next_producer_id,
        producer_epoch=epoch,
        last_producer_epoch=last_epoch,
        state=_PREPARE_COMMIT if commit else _PREPARE_ABORT,
        start_ms=value.start_ms if value.state is _ONGOING else now_ms,
        last_update_ms=now_ms,
        client_transaction_version=client_version,
    )


def completed(value: TransactionValue, now_ms: int) -> TransactionValue:
    """The value after all markers are written.

    If the epoch was exhausted, the next producer id and epoch 0 replace the identity, and the last
    epoch stays the last one that the client has used.
    """
    producer_id, epoch = value.producer_id, value.producer_epoch
    if value.next_producer_id != NO_PRODUCER_ID:
        producer_id, epoch = value.next_producer_id, 0
    return replace(
        value,
        producer_id=producer_id,
        prev_producer_id=value.producer_id,
        next_producer_id=NO_PRODUCER_ID,
        producer_epoch=epoch,
        state=_COMPLETE_COMMIT if value.state is _PREPARE_COMMIT else _COMPLETE_ABORT,
        partitions=NO_PARTITIONS,
        last_update_ms=now_ms,
    )


def dead(value: TransactionValue, now_ms: int) -> TransactionValue:
    """The value of an expired id, which is not logged; a tombstone is."""
    return replace(
        value,
        prev_producer_id=value.producer_id,
        state=_DEAD,
        partitions=NO_PARTITIONS,
        start_ms=NO_START_MS,
        last_update_ms=now_ms,
    )


def fenced(value: TransactionValue) -> TransactionValue:
    """The open transaction with the epoch that fences its producer (protocol 1, not logged)."""
    return replace(
        value, producer_epoch=value.producer_epoch + 1, last_producer_epoch=NO_PRODUCER_EPOCH
    )


def check_transition(before: TransactionValue, after: TransactionValue) -> None:
    """Assert what Kafka checks when a transition completes; a violation is a bug."""
    assert before.state in _PREDECESSORS[after.state], (before, after)
    assert _IS_VALID[after.state](before, after), (before, after)


def _is_valid_empty(before: TransactionValue, after: TransactionValue) -> bool:
    same_id = before.producer_id == after.producer_id
    epochs = {before.producer_epoch, before.producer_epoch + 1} if same_id else {0}
    idle = not after.partitions and after.start_ms == NO_START_MS
    return idle and after.producer_epoch in epochs


def _is_valid_ongoing(before: TransactionValue, after: TransactionValue) -> bool:
    starts = before.state is not _ONGOING
    return (
        _has_identity(before, after)
        and before.partitions <= after.partitions
        and before.timeout_ms == after.timeout_ms
        and (starts or before.start_ms == after.start_ms)
    )


def _is_valid_prepared(before: TransactionValue, after: TransactionValue) -> bool:
    if after.client_transaction_version >= EPOCH_BUMP_SINCE:
        same = (
            after.last_producer_epoch == before.producer_epoch
            and after.producer_id == before.producer_id
        )
    else:
        same = _has_identity(before, after)
    starts = before.state is not _ONGOING
    return (
        same
        and before.partitions == after.partitions
        and before.timeout_ms == after.timeout_ms
        and (starts or before.start_ms == after.start_ms)
    )


def _is_valid_complete(before: TransactionValue, after: TransactionValue) -> bool:
    if before.next_producer_id != NO_PRODUCER_ID:
        same = (
            after.producer_epoch == 0
            and after.last_producer_epoch == before.last_producer_epoch
            and after.prev_producer_id == before.producer_id
        )
    else:
        same = _has_identity(before, after)
    return (
        same
        and before.timeout_ms == after.timeout_ms
        and after.start_ms == before.start_ms != NO_START_MS
    )


def _is_valid_dead(before: TransactionValue, after: TransactionValue) -> bool:
    return _has_identity(before, after)


def _has_identity(before: TransactionValue, after: TransactionValue) -> bool:
    identity = before.producer_id, before.producer_epoch
    return identity == (after.producer_id, after.producer_epoch)


_IS_VALID = {
    _EMPTY: _is_valid_empty,
    _ONGOING: _is_valid_ongoing,
    _PREPARE_COMMIT: _is_valid_prepared,
    _PREPARE_ABORT: _is_valid_prepared,
    _COMPLETE_COMMIT: _is_valid_complete,
    _COMPLETE_ABORT: _is_valid_complete,
    _DEAD: _is_valid_dead,
}
