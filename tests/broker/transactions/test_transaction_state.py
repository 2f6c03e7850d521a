"""The states of a transactional id."""

from __future__ import annotations

from broker.transactions.transaction_state import STATE_BY_LABEL, TransactionState


def test_states_have_kafkas_names_and_numbers() -> None:
    """The numbers are in the log, the names in responses."""
    assert {label: state.value for label, state in STATE_BY_LABEL.items()} == {
        "Empty": 0,
        "Ongoing": 1,
        "PrepareCommit": 2,
        "PrepareAbort": 3,
        "CompleteCommit": 4,
        "CompleteAbort": 5,
        "Dead": 6,
        "PrepareEpochFence": 7,
    }


def test_an_id_may_expire_only_without_a_transaction() -> None:
    """The prepared states wait for markers."""
    assert [state.name for state in TransactionState if state.is_idle] == [
        "EMPTY",
        "COMPLETE_COMMIT",
        "COMPLETE_ABORT",
    ]
    assert [state.name for state in TransactionState if state.is_prepared] == [
        "PREPARE_COMMIT",
        "PREPARE_ABORT",
    ]
