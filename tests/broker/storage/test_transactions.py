"""Which transactions are not decided: `broker.storage.transactions`."""

from __future__ import annotations

import pytest

from broker.storage.transaction_index import AbortedTxn
from broker.storage.transactions import (
    CompletedTxn,
    EndTxnMarker,
    Transactions,
    end_txn_marker,
)
from protocol.record_batch.header import CONTROL_BIT, TRANSACTIONAL_BIT
from protocol.record_batch.record import Record
from tests.broker.storage.logs import NOW_MS, batch_of


def marker(kind: int, coordinator_epoch: int = 3) -> memoryview:
    """A control batch as a transaction coordinator writes it."""
    key = b"\0\0" + kind.to_bytes(2, "big")
    value = b"\0\0" + coordinator_epoch.to_bytes(4, "big")
    record = Record(key, value, timestamp=NOW_MS)
    return batch_of([record], attributes=CONTROL_BIT | TRANSACTIONAL_BIT, producer_id=1)


@pytest.mark.parametrize("kind", [0, 1])
def test_a_marker_says_how_a_transaction_ends(kind: int) -> None:
    """Aborted or committed, and by which coordinator."""
    assert end_txn_marker(marker(kind)) == EndTxnMarker(kind == 0, 3)


def test_other_control_batches_end_nothing() -> None:
    """A leader change, or bytes of some other kind."""
    assert end_txn_marker(marker(2)) is None
    assert end_txn_marker(batch_of([Record(b"k", None)], attributes=CONTROL_BIT)) is None


def test_the_first_undecided_one_bounds_what_is_stable() -> None:
    """Until its marker is on every replica."""
    transactions = Transactions()
    transactions.begin(10)
    transactions.begin(12)
    assert transactions.first_unstable_offset == 10
    assert transactions.complete(CompletedTxn(1, 10, 15, False)) is None
    transactions.replicated(15)
    assert transactions.first_unstable_offset == 10, "the marker itself is at 15"
    transactions.replicated(16)
    assert transactions.first_unstable_offset == 12
    transactions.complete(CompletedTxn(2, 12, 20, False))
    transactions.replicated(21)
    assert transactions.first_unstable_offset is None


def test_an_aborted_one_is_for_the_index() -> None:
    """With the last stable offset that its end leaves."""
    transactions = Transactions()
    transactions.begin(10)
    transactions.begin(12)
    assert transactions.complete(CompletedTxn(1, 10, 15, True)) == AbortedTxn(1, 10, 15, 12)
    assert transactions.complete(CompletedTxn(2, 12, 20, True)) == AbortedTxn(2, 12, 20, 21)
