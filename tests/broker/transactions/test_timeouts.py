"""Which transactions have timed out."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.transactions.metadata import NO_TIMEOUT_MS, TransactionMetadata
from broker.transactions.timeouts import is_timed_out
from broker.transactions.transaction_state import TransactionState
from tests.broker.transactions.test_initialization import value

# A transaction that began at 100 and has a timeout of a minute.
OPEN = value("ONGOING")
END_MS = 60_101


@pytest.mark.parametrize("state", list(TransactionState))
def test_only_an_open_transaction_times_out(state: TransactionState) -> None:
    """After its timeout, not at it."""
    entry = TransactionMetadata("id", replace(OPEN, state=state))

    assert is_timed_out(entry, END_MS) is (state is TransactionState.ONGOING)
    assert not is_timed_out(entry, END_MS - 1)


def test_a_transition_in_progress_is_waited_for() -> None:
    """The transaction is checked again later."""
    entry = TransactionMetadata("id", OPEN)
    entry.pending = value("PREPARE_COMMIT")

    assert not is_timed_out(entry, END_MS)


def test_two_phase_commit_has_no_timeout() -> None:
    """A log of Kafka may contain such transactions."""
    entry = TransactionMetadata("id", replace(OPEN, timeout_ms=NO_TIMEOUT_MS))

    assert not is_timed_out(entry, 2**40)
