"""Tests of transactions in a compaction: `broker.storage.cleaner.cleaned_transactions`."""

from __future__ import annotations

from broker.storage.cleaner.cleaned_transactions import CleanedTransactions
from broker.storage.indexes.transaction_index import AbortedTxn
from protocol.record_batch.filter import empty_batch
from protocol.record_batch.header import CONTROL_BIT, BatchHeader, read_header
from protocol.record_batch.record import Record
from tests.broker.storage.logs import batch, batch_of, marker, transactional

ABORTED = AbortedTxn(5, 10, 14, 15)


def header_of(offset: int, producer_id: int = 5) -> BatchHeader:
    return read_header(transactional(offset, 0, producer_id))


def may_go(found: CleanedTransactions, offset: int, *, abort: bool) -> bool:
    batch = marker(offset, abort=abort)
    return found.marker_may_go(read_header(batch), batch)


def test_records_of_an_aborted_transaction_are_recognised() -> None:
    """Those of its producer, from its first offset to its marker."""
    found = CleanedTransactions([ABORTED])
    assert not found.is_aborted(header_of(7))
    assert not may_go(found, 9, abort=False)
    assert found.is_aborted(header_of(10))
    assert not found.is_aborted(header_of(12, producer_id=6))
    assert not found.is_aborted(read_header(batch(1, base_offset=13, producer_id=5)))
    assert not may_go(found, 14, abort=True)
    assert not found.is_aborted(header_of(15))


def test_a_marker_is_kept_while_its_transaction_has_batches() -> None:
    """The entry of an aborted one is kept with its marker."""
    with_batches, without = CleanedTransactions([ABORTED]), CleanedTransactions([ABORTED])
    with_batches.is_aborted(header_of(10))
    assert not may_go(with_batches, 14, abort=True)
    assert with_batches.kept == [ABORTED]
    assert may_go(with_batches, 16, abort=False), "nothing of the next one was met"
    assert may_go(without, 14, abort=True)
    assert without.kept == []


def test_a_control_batch_of_another_type_is_kept() -> None:
    """It may be removed only without records."""
    change = batch_of([Record(b"\0\0\0\2", b"leader")], attributes=CONTROL_BIT)
    found = CleanedTransactions([])
    assert not found.marker_may_go(read_header(change), change)
    emptied = memoryview(empty_batch(read_header(change)))
    assert found.marker_may_go(read_header(emptied), emptied)
