"""Tests of the checks before an append: `broker.storage.producers.producer_append`."""

from __future__ import annotations

from typing import Any

import pytest

from broker.storage.producers.producer_append import (
    check_batch,
    check_marker,
    maybe_start_verification,
)
from broker.storage.producers.producer_state import DefaultProducerConfig, ProducerStateManager
from broker.storage.producers.producer_state_entry import BatchMetadata
from broker.storage.producers.verification_state import NO_GUARD
from broker.storage.validation.append import AppendOrigin, AppendRefused
from protocol.errors import ErrorCode
from protocol.record_batch.control import EndTxnMarker
from protocol.record_batch.header import (
    INT32_MAX,
    NO_PRODUCER_EPOCH,
    BatchHeader,
    read_header,
)
from tests.broker.storage.logs import NOW_MS, batch, emptied, marker, transactional

CLIENT = AppendOrigin.CLIENT
COORDINATOR = AppendOrigin.COORDINATOR


def header(sequence: int, count: int = 2, epoch: int = 0, **more: Any) -> BatchHeader:
    sent = batch(count, producer_id=5, producer_epoch=epoch, base_sequence=sequence, **more)
    return read_header(sent)


def in_transaction(sequence: int, epoch: int = 0) -> BatchHeader:
    return read_header(transactional(0, sequence, epoch=epoch))


def manager(*headers: BatchHeader) -> ProducerStateManager:
    """A manager with these consecutive batches, from offset 0 on."""
    producers = ProducerStateManager("orders-0")
    offset = 0
    for each in headers:
        producers.update(each, offset, each.max_timestamp)
        offset += each.records_count
    return producers


def end(producers: ProducerStateManager, epoch: int, coordinator_epoch: int = 7) -> None:
    """Commit the transaction of producer 5, with a marker at offset 10."""
    ended = marker(10, epoch=epoch, abort=False, coordinator_epoch=coordinator_epoch)
    producers.replay(read_header(ended), ended)


def verify(
    producers: ProducerStateManager, epoch: int = 0, sequence: int = 0, *, bumps: bool = True
) -> int:
    return maybe_start_verification(
        producers, 5, epoch, sequence, NOW_MS, supports_epoch_bump=bumps
    )


def check(
    producers: ProducerStateManager,
    each: BatchHeader,
    guard: int = NO_GUARD,
    origin: AppendOrigin = CLIENT,
) -> BatchMetadata | None:
    return check_batch(producers, each, origin, guard)


def refusal(
    producers: ProducerStateManager,
    each: BatchHeader,
    guard: int = NO_GUARD,
    origin: AppendOrigin = CLIENT,
) -> ErrorCode:
    with pytest.raises(AppendRefused) as refused:
        check_batch(producers, each, origin, guard)
    return refused.value.error


# ----------------------------------------------------------------------------- sequence numbers


def test_an_unknown_producer_may_begin_with_any_sequence() -> None:
    """Its state may have expired."""
    assert check(manager(), header(1234)) is None


def test_sequence_numbers_are_consecutive() -> None:
    """The next is the last plus one."""
    assert check(manager(header(0)), header(2)) is None


@pytest.mark.parametrize("sequence", [1, 3, 100])
def test_a_gap_or_an_overlap_is_out_of_order(sequence: int) -> None:
    """Any other sequence number, unless the batch is a duplicate."""
    assert refusal(manager(header(0)), header(sequence)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_each_of_the_last_five_batches_is_recognised() -> None:
    """With its offsets; the sixth last is out of order."""
    producers = manager(*(header(2 * i) for i in range(6)))
    for number in range(1, 6):
        found = check(producers, header(2 * number))
        assert found is not None
        assert (found.first_offset, found.last_offset) == (2 * number, 2 * number + 1)
    assert refusal(producers, header(0)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_duplicate_has_the_same_first_and_last_sequence() -> None:
    """The same last sequence number is not enough."""
    assert refusal(manager(header(0)), header(1, 1)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_an_older_epoch_is_fenced() -> None:
    """A newer instance of the producer has written."""
    producers = manager(header(0, epoch=3))
    assert refusal(producers, header(2, epoch=2)) is ErrorCode.INVALID_PRODUCER_EPOCH


def test_a_new_epoch_begins_at_zero() -> None:
    """The batches of the old epoch are no longer duplicates."""
    producers = manager(header(0))
    assert refusal(producers, header(2, epoch=1)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert check(producers, header(0, epoch=1)) is None


def test_any_sequence_follows_an_unknown_epoch() -> None:
    """No batch of the producer has been seen."""
    producers = manager(header(0))
    producers.producers[5].epoch = NO_PRODUCER_EPOCH
    assert check(producers, header(7)) is None


def test_sequence_numbers_wrap() -> None:
    """0 follows 2**31 - 1, also within a batch."""
    assert check(manager(header(INT32_MAX, 1)), header(0)) is None
    across = header(INT32_MAX - 1, 4)
    producers = manager(across)
    assert check(producers, header(2)) is None
    assert check(producers, across) is not None


def test_a_coordinator_is_fenced_by_epoch_only() -> None:
    """Its batches begin with sequence number 0 each."""
    producers = manager(header(0, epoch=3))
    assert check(producers, header(0, epoch=3), origin=COORDINATOR) is None
    refused = refusal(producers, header(0, epoch=2), origin=COORDINATOR)
    assert refused is ErrorCode.INVALID_PRODUCER_EPOCH


# ------------------------------------------------------------------- batches of transactions


def test_the_first_batch_of_a_transaction_needs_a_guard() -> None:
    """INVALID_TXN_STATE: the coordinator may not know that the partition belongs to it."""
    assert refusal(manager(), in_transaction(0)) is ErrorCode.INVALID_TXN_STATE


def test_a_verified_batch_is_accepted() -> None:
    """With the guard of its verification."""
    producers = manager()
    assert check(producers, in_transaction(0), verify(producers)) is None


def test_another_guard_is_refused() -> None:
    """INVALID_TXN_STATE, as without a guard."""
    producers = manager()
    guard = verify(producers)
    assert refusal(producers, in_transaction(0), guard + 1) is ErrorCode.INVALID_TXN_STATE


def test_the_guard_of_a_verification_before_a_marker_is_refused() -> None:
    """Otherwise a transaction without an end would begin."""
    producers = manager()
    guard = verify(producers)
    end(producers, epoch=0)
    end(producers, epoch=1)
    assert refusal(producers, in_transaction(0, epoch=1), guard) is ErrorCode.INVALID_TXN_STATE


def test_without_verification_no_guard_is_needed() -> None:
    """The key ``transaction.partition.verification.enable`` is false."""
    config = DefaultProducerConfig(transaction_partition_verification_enable=False)
    assert check(ProducerStateManager("orders-0", config), in_transaction(0)) is None


def test_an_open_transaction_needs_no_guard() -> None:
    """Its first batch was verified."""
    assert check(manager(in_transaction(0)), in_transaction(2)) is None


def test_a_transaction_of_a_new_epoch_needs_a_guard() -> None:
    """The open transaction of the old epoch is not the same."""
    producers = manager(in_transaction(0))
    assert refusal(producers, in_transaction(0, epoch=1)) is ErrorCode.INVALID_TXN_STATE


def test_an_older_epoch_is_fenced_before_the_guard_is_checked() -> None:
    """INVALID_PRODUCER_EPOCH, which a producer can recover from."""
    producers = manager(header(0, epoch=3))
    refused = refusal(producers, in_transaction(0, epoch=2))
    assert refused is ErrorCode.INVALID_PRODUCER_EPOCH


def test_a_duplicate_needs_no_guard() -> None:
    """Its transaction may have ended."""
    producers = manager(in_transaction(0))
    end(producers, epoch=0)
    assert check(producers, in_transaction(0)) == BatchMetadata(1, 1, 1, NOW_MS)


def test_offsets_of_a_transaction_need_a_guard() -> None:
    """The batches of a group coordinator are checked like those of clients."""
    producers = manager()
    batch_of_offsets = in_transaction(0)
    refused = refusal(producers, batch_of_offsets, origin=COORDINATOR)
    assert refused is ErrorCode.INVALID_TXN_STATE
    assert check(producers, batch_of_offsets, verify(producers), COORDINATOR) is None


def test_records_outside_an_open_transaction_are_refused() -> None:
    """INVALID_TXN_STATE: the producer must end the transaction first."""
    assert refusal(manager(in_transaction(0)), header(2)) is ErrorCode.INVALID_TXN_STATE


def test_a_wrong_sequence_number_is_found_before_an_open_transaction() -> None:
    """Of a batch that does not belong to it."""
    refused = refusal(manager(in_transaction(0)), header(7))
    assert refused is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_a_new_protocol_transaction_of_an_unknown_producer_begins_at_zero() -> None:
    """Each of its epochs begins at 0, so that earlier batches must be missing."""
    producers = manager()
    guard = verify(producers, sequence=2)
    refused = refusal(producers, in_transaction(2), guard)
    assert refused is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_an_old_protocol_transaction_of_an_unknown_producer_begins_anywhere() -> None:
    """Its sequence numbers continue over transactions, and its state may have expired."""
    producers = manager()
    guard = verify(producers, sequence=2, bumps=False)
    assert check(producers, in_transaction(2), guard) is None


def test_a_batch_after_one_that_was_not_verified_is_refused() -> None:
    """It would make the earlier one, which is retried, out of order forever."""
    producers = manager()
    guard = verify(producers, sequence=0, bumps=False)
    assert verify(producers, sequence=2, bumps=False) == guard
    refused = refusal(producers, in_transaction(2), guard)
    assert refused is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_sequence_numbers_go_on_after_a_marker_of_the_same_epoch() -> None:
    """The old protocol keeps the epoch."""
    producers = manager(in_transaction(0))
    end(producers, epoch=0)
    assert check(producers, in_transaction(2), verify(producers, sequence=2)) is None


def test_sequence_numbers_begin_at_zero_after_a_marker_of_a_new_epoch() -> None:
    """The new protocol raises the epoch at the end of each transaction."""
    producers = manager(in_transaction(0))
    end(producers, epoch=1)
    assert refusal(producers, header(2, epoch=1)) is ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert check(producers, header(0, epoch=1)) is None


# ---------------------------------------------------------------------------------- markers


def marked(producers: ProducerStateManager, epoch: int, coordinator: int, version: int) -> None:
    written = marker(0, epoch=epoch, abort=True, coordinator_epoch=coordinator)
    found = check_marker(producers, read_header(written), written, version)
    assert found == EndTxnMarker(True, coordinator)


def marker_refusal(
    producers: ProducerStateManager, epoch: int, coordinator: int, version: int
) -> ErrorCode:
    with pytest.raises(AppendRefused) as refused:
        marked(producers, epoch, coordinator, version)
    return refused.value.error


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_marker_of_an_unknown_producer_is_accepted(version: int) -> None:
    """Retention may have removed its records."""
    marked(manager(), 3, 0, version)


def test_an_unknown_producer_has_no_epoch_below_minus_1() -> None:
    """Neither has its coordinator."""
    marked(manager(), 3, -1, 2)
    assert marker_refusal(manager(), 3, -2, 2) is ErrorCode.TRANSACTION_COORDINATOR_FENCED
    assert marker_refusal(manager(), -2, 0, 2) is ErrorCode.INVALID_PRODUCER_EPOCH


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_marker_of_a_higher_epoch_is_accepted(version: int) -> None:
    """The epoch that ends the transaction, or fences its producer."""
    marked(manager(in_transaction(0)), 1, 0, version)


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_marker_of_the_same_epoch_without_transaction_is_a_retry(version: int) -> None:
    """It is appended again."""
    marked(manager(header(0)), 0, 0, version)


@pytest.mark.parametrize("version", [0, 1])
def test_a_marker_of_the_same_epoch_ends_an_old_protocol_transaction(version: int) -> None:
    """The epoch does not change at its end."""
    marked(manager(in_transaction(0)), 0, 0, version)


def test_a_marker_of_the_same_epoch_does_not_end_a_new_protocol_transaction() -> None:
    """It is a late marker of the transaction before it."""
    refused = marker_refusal(manager(in_transaction(0)), 0, 0, 2)
    assert refused is ErrorCode.INVALID_PRODUCER_EPOCH


def test_a_marker_of_the_last_epoch_ends_its_transaction() -> None:
    """There is no higher epoch."""
    marked(manager(in_transaction(0, epoch=32_767)), 32_767, 0, 2)


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize("known", [header(0, epoch=3), in_transaction(0, epoch=3)])
def test_a_marker_of_an_older_epoch_is_refused(known: BatchHeader, version: int) -> None:
    """INVALID_PRODUCER_EPOCH, whether or not a transaction is open."""
    assert marker_refusal(manager(known), 2, 0, version) is ErrorCode.INVALID_PRODUCER_EPOCH


@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_marker_of_an_older_coordinator_is_refused(version: int) -> None:
    """TRANSACTION_COORDINATOR_FENCED: a newer one has written a marker for the producer."""
    producers = manager(in_transaction(0))
    end(producers, epoch=0, coordinator_epoch=7)
    refused = marker_refusal(producers, 1, 6, version)
    assert refused is ErrorCode.TRANSACTION_COORDINATOR_FENCED
    marked(producers, 1, 7, version)


def test_other_control_batches_have_no_marker() -> None:
    """A control batch whose record was removed ends nothing."""
    empty = emptied(marker(0, abort=True))
    assert check_marker(manager(in_transaction(0)), read_header(empty), empty, 2) is None


# ----------------------------------------------------------------------------- verification


def test_a_verification_keeps_its_guard() -> None:
    """Several batches may be verified at the same time."""
    producers = manager()
    assert verify(producers) == verify(producers, sequence=2) != NO_GUARD


def test_each_verification_has_its_own_guard() -> None:
    """Also in other logs."""
    assert verify(manager()) != verify(manager())


def test_no_verification_begins_in_an_open_transaction() -> None:
    """Its first batch was verified."""
    producers = manager(in_transaction(0))
    assert verify(producers) == NO_GUARD
    assert not producers.verifications


def test_a_verification_begins_for_a_newer_epoch() -> None:
    """The open transaction is of an older one."""
    assert verify(manager(in_transaction(0)), epoch=1) != NO_GUARD


def test_no_verification_begins_for_an_older_epoch() -> None:
    """INVALID_PRODUCER_EPOCH, without asking the coordinator."""
    with pytest.raises(AppendRefused) as refused:
        verify(manager(header(0, epoch=3)), epoch=2)
    assert refused.value.error is ErrorCode.INVALID_PRODUCER_EPOCH
