"""Tests of undecided transactions: `broker.storage.transactions`."""

from __future__ import annotations

from broker.storage.transaction_index import AbortedTxn
from broker.storage.transactions import CompletedTxn, Transactions


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
