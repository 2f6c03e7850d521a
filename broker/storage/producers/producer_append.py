"""What a leader checks of a batch's producer before it writes (Kafka's ``ProducerAppendInfo``).

A batch of records must continue the sequence numbers of its producer, unless it is a duplicate, and
the first batch of a transaction must have been verified with the coordinator (KIP-98, KIP-890). A
marker must not be older than the transaction that it would end.
"""

from __future__ import annotations

from typing import Final

from broker.storage.producers.producer_state import ProducerStateManager
from broker.storage.producers.producer_state_entry import (
    NO_OFFSET,
    BatchMetadata,
    ProducerStateEntry,
)
from broker.storage.producers.verification_state import NO_GUARD, VerificationStateEntry
from broker.storage.validation.append import AppendOrigin, AppendRefused
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker, end_txn_marker
from protocol.record_batch.header import (
    INT32_MAX,
    NO_PRODUCER_EPOCH,
    TRANSACTIONAL_BIT,
    BatchHeader,
)

# From this level of the feature transaction.version, each marker has an epoch of its own (KIP-890).
EPOCH_BUMP_SINCE: Final = 2
# Producers never use this epoch; it remains for a last marker.
EPOCH_MAX: Final = 32_767


def check_batch(
    producers: ProducerStateManager, header: BatchHeader, origin: AppendOrigin, guard: int
) -> BatchMetadata | None:
    """The batch of which *header* is a duplicate, or None if it may be written.

    *guard* is that of the transaction's verification. Raises `AppendRefused`
    INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE or OUT_OF_ORDER_SEQUENCE_NUMBER.
    """
    entry = producers.producers.get(header.producer_id)
    is_client = origin is AppendOrigin.CLIENT
    if entry is not None:
        if is_client and (duplicate := entry.duplicate_of(header)) is not None:
            return duplicate
        if header.producer_epoch < entry.epoch:
            raise old_epoch(producers, header.producer_id, header.producer_epoch, entry.epoch)
    is_transactional = header.attributes & TRANSACTIONAL_BIT
    if is_transactional:
        _check_guard(producers, header, entry, guard)
    if is_client:
        if producers.verifications:
            _check_verified_sequence(producers, header, entry)
        if entry is not None:
            _check_sequence(producers, header, entry)
    if not is_transactional and entry is not None and entry.current_txn_first_offset != NO_OFFSET:
        raise AppendRefused(
            ErrorCode.INVALID_TXN_STATE,
            f"producer {header.producer_id} has an open transaction in {producers.name}, "
            "to which the batch does not belong",
        )
    return None


def _check_guard(
    producers: ProducerStateManager,
    header: BatchHeader,
    entry: ProducerStateEntry | None,
    guard: int,
) -> None:
    """Refuse the first batch of a transaction that has not been verified."""
    if not producers.config.transaction_partition_verification_enable:
        return
    if entry is not None and entry.is_in_transaction(header.producer_epoch):
        return
    verification = producers.verifications.get(header.producer_id)
    if verification is None or verification.guard != guard:
        raise AppendRefused(
            ErrorCode.INVALID_TXN_STATE,
            f"producer {header.producer_id} has no verified transaction in {producers.name}",
        )


def _check_verified_sequence(
    producers: ProducerStateManager, header: BatchHeader, entry: ProducerStateEntry | None
) -> None:
    """Refuse a batch that follows one which the log does not have."""
    verification = producers.verifications.get(header.producer_id)
    if verification is None:
        return
    sequence = header.base_sequence
    is_unknown = entry is None or not entry.batches
    if verification.supports_epoch_bump and sequence and is_unknown:
        raise _out_of_order(producers, header, 0)
    if sequence > verification.lowest_sequence:
        raise _out_of_order(producers, header, verification.lowest_sequence)


def _check_sequence(
    producers: ProducerStateManager, header: BatchHeader, entry: ProducerStateEntry
) -> None:
    if entry.epoch == NO_PRODUCER_EPOCH:
        return
    if header.producer_epoch != entry.epoch:
        expected = 0
    else:
        last = entry.last_sequence
        expected = 0 if last == INT32_MAX else last + 1
    if header.base_sequence != expected:
        raise _out_of_order(producers, header, expected)


def _out_of_order(
    producers: ProducerStateManager, header: BatchHeader, expected: int
) -> AppendRefused:
    return AppendRefused(
        ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER,
        f"producer {header.producer_id} sent sequence number {header.base_sequence} to "
        f"{producers.name} in epoch {header.producer_epoch}, where {expected} is next",
    )


def check_marker(
    producers: ProducerStateManager,
    header: BatchHeader,
    batch: memoryview,
    transaction_version: int,
) -> EndTxnMarker | None:
    """The marker in a control batch, which may be written; None if it is of another type.

    From *transaction_version* 2 on, a marker with the epoch of an open transaction is refused,
    because it is a late one of the previous transaction. Raises `AppendRefused`
    INVALID_PRODUCER_EPOCH or TRANSACTION_COORDINATOR_FENCED.
    """
    marker = end_txn_marker(batch)
    if marker is None:
        return None
    entry = producers.producers.get(header.producer_id) or _unknown(header.producer_id)
    epoch, known = header.producer_epoch, entry.epoch
    is_late = (
        transaction_version >= EPOCH_BUMP_SINCE
        and epoch == known != EPOCH_MAX
        and entry.current_txn_first_offset != NO_OFFSET
    )
    if epoch < known or is_late:
        raise old_epoch(producers, header.producer_id, epoch, known)
    if marker.coordinator_epoch < entry.coordinator_epoch:
        raise AppendRefused(
            ErrorCode.TRANSACTION_COORDINATOR_FENCED,
            f"a marker for producer {header.producer_id} in {producers.name} is from coordinator "
            f"epoch {marker.coordinator_epoch}, but epoch {entry.coordinator_epoch} has been seen",
        )
    return marker


def _unknown(producer_id: int) -> ProducerStateEntry:
    """The entry of a producer without one: no epoch of its own or of its coordinator is lower."""
    return ProducerStateEntry(producer_id, NO_PRODUCER_EPOCH, 0)


def old_epoch(
    producers: ProducerStateManager, producer_id: int, epoch: int, known: int
) -> AppendRefused:
    """The refusal of a batch, a marker or a verification in an *epoch* that is over."""
    return AppendRefused(
        ErrorCode.INVALID_PRODUCER_EPOCH,
        f"producer {producer_id} used epoch {epoch} in {producers.name}, where epoch {known} has "
        "been seen",
    )


def maybe_start_verification(
    producers: ProducerStateManager,
    producer_id: int,
    epoch: int,
    base_sequence: int,
    now_ms: int,
    *,
    supports_epoch_bump: bool,
) -> int:
    """The guard of a new or running verification; `NO_GUARD` in an open transaction of *epoch*.

    *supports_epoch_bump* is used if the verification is new. Raises `AppendRefused`
    INVALID_PRODUCER_EPOCH. Kafka's ``UnifiedLog.maybeStartTransactionVerification``.
    """
    entry = producers.producers.get(producer_id)
    if entry is not None:
        if epoch < entry.epoch:
            raise old_epoch(producers, producer_id, epoch, entry.epoch)
        if entry.is_in_transaction(epoch):
            return NO_GUARD
    verification = producers.verifications.get(producer_id)
    if verification is None:
        verification = producers.verifications[producer_id] = VerificationStateEntry(
            now_ms, base_sequence, epoch, supports_epoch_bump=supports_epoch_bump
        )
    else:
        verification.update(base_sequence, epoch)
    return verification.guard
