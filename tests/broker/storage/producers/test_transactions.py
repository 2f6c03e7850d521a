"""Tests of undecided transactions: `broker.storage.producers.transactions`."""

from __future__ import annotations

from broker.storage.indexes.transaction_index import AbortedTxn
from broker.storage.producers.transactions import (
    CompletedTxn,
    ReleasedTxn,
    Transactions,
    UnstableTxn,
)


def test_the_first_unstable_offset_is_that_of_the_first_undecided_transaction() -> None:
    """A decided transaction counts until every replica has its marker."""
    transactions = Transactions()
    transactions.begin(10, 1)
    transactions.begin(12, 2)
    assert transactions.first_unstable_offset == 10
    assert transactions.complete(CompletedTxn(1, 10, 15, False)) is None
    transactions.replicated(15)
    assert transactions.first_unstable_offset == 10, "the marker itself is at 15"
    transactions.replicated(16)
    assert transactions.first_unstable_offset == 12
    transactions.complete(CompletedTxn(2, 12, 20, False))
    transactions.replicated(21)
    assert transactions.first_unstable_offset is None


def test_an_aborted_transaction_is_returned_for_the_index() -> None:
    """With the last stable offset at the time of its marker."""
    transactions = Transactions()
    transactions.begin(10, 1)
    transactions.begin(12, 2)
    assert transactions.complete(CompletedTxn(1, 10, 15, True)) == AbortedTxn(1, 10, 15, 12)
    assert transactions.complete(CompletedTxn(2, 12, 20, True)) == AbortedTxn(2, 12, 20, 21)


def test_the_first_unstable_transaction_has_the_time_for_which_it_is_the_first() -> None:
    """The duration of the second one begins with the release of the first."""
    now_ms = 1000.0
    transactions = Transactions(now_ms=lambda: now_ms)
    assert transactions.first_unstable() is None
    transactions.begin(10, 1)
    now_ms = 1300.0
    transactions.begin(12, 2)
    assert transactions.first_unstable() == UnstableTxn(1, 10, 300.0, is_decided=False)
    transactions.complete(CompletedTxn(1, 10, 15, False))
    assert transactions.first_unstable() == UnstableTxn(1, 10, 300.0, is_decided=True)
    now_ms = 1400.0
    transactions.replicated(16)
    now_ms = 1450.0
    assert transactions.first_unstable() == UnstableTxn(2, 12, 50.0, is_decided=False)


def test_a_release_is_kept_if_it_moves_the_last_stable_offset() -> None:
    """The second transaction ends first, and moves nothing."""
    now_ms = 1000.0
    transactions = Transactions(now_ms=lambda: now_ms)
    first, second = CompletedTxn(1, 10, 16, True), CompletedTxn(2, 12, 15, False)
    transactions.begin(10, 1)
    transactions.begin(12, 2)
    now_ms = 5200.0
    transactions.complete(second)
    transactions.replicated(16)
    assert transactions.released is None
    transactions.complete(first)
    transactions.replicated(17)
    assert transactions.released == ReleasedTxn(first, 17, 4200.0)
