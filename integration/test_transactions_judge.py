"""The judge of transaction histories finds each anomaly, and none in correct histories."""

from __future__ import annotations

import pytest

from integration.transactions.history import Append, History, Outcome, Read, Transaction
from integration.transactions.judge import Kind, anomalies

COMMITTED, ABORTED, UNKNOWN = Outcome.COMMITTED, Outcome.ABORTED, Outcome.UNKNOWN


def transaction(
    *operations: Append | Read,
    outcome: Outcome = COMMITTED,
    by: str = "a",
    commit_requested: float = 0.0,
) -> Transaction:
    """A transaction whose commit was requested at 0 s; reads end then, too."""
    return Transaction(by, operations, outcome, commit_requested)


def kinds(
    *transactions: Transaction,
    final: dict[int, tuple[int, ...]],
    log: dict[int, tuple[int, ...]] | None = None,
) -> set[Kind]:
    """The kinds of anomalies of a history; the log has only committed values by default."""
    return {each.kind for each in anomalies(History(transactions, final, log or final))}


def test_transactions_that_read_what_others_committed_are_correct() -> None:
    """Appends in two partitions, and reads of the first values."""
    found = kinds(
        transaction(Append(0, 1), Append(1, 2), Append(0, 3)),
        transaction(Read(0, (1, 3)), Read(1, ()), Append(1, 4)),
        final={0: (1, 3), 1: (2, 4)},
    )
    assert found == set()


def test_an_aborted_transaction_leaves_nothing() -> None:
    """Its values are missing in the reads and at the end."""
    assert kinds(transaction(Append(0, 1), outcome=ABORTED), final={0: ()}) == set()


@pytest.mark.parametrize("final", [(), (1, 2)])
def test_an_unknown_transaction_has_all_values_or_none(final: tuple[int, ...]) -> None:
    """Both are correct."""
    assert (
        kinds(transaction(Append(0, 1), Append(0, 2), outcome=UNKNOWN), final={0: final}) == set()
    )


def test_ids_may_have_different_orders_in_different_partitions() -> None:
    """Kafka does not isolate transactions with different ids."""
    found = kinds(
        transaction(Append(0, 1), Append(1, 2), by="a"),
        transaction(Append(0, 3), Append(1, 4), by="b"),
        final={0: (1, 3), 1: (4, 2)},
    )
    assert found == set()


def test_one_id_has_one_order_in_all_partitions() -> None:
    """G0: two transactions of an id have opposite orders."""
    found = kinds(
        transaction(Append(0, 1), Append(1, 2)),
        transaction(Append(0, 3), Append(1, 4)),
        final={0: (1, 3), 1: (4, 2)},
    )
    assert found == {Kind.G0}


def test_transactions_of_one_id_do_not_overlap() -> None:
    """G0: a transaction continues after the next one of its id began."""
    found = kinds(
        transaction(Append(0, 1), Append(0, 3)),
        transaction(Append(0, 2)),
        final={0: (1, 2, 3)},
    )
    assert found == {Kind.G0}


def test_an_aborted_value_is_not_read() -> None:
    """G1a: by another transaction."""
    found = kinds(
        transaction(Append(0, 1), outcome=ABORTED), transaction(Read(0, (1,))), final={0: ()}
    )
    assert Kind.G1A in found


def test_an_aborted_value_is_not_there_at_the_end() -> None:
    """G1a: by the last read."""
    assert kinds(transaction(Append(0, 1), outcome=ABORTED), final={0: (1,)}) == {Kind.G1A}


def test_a_read_does_not_end_within_a_transaction() -> None:
    """G1b: one of two values was read, and no other transaction was open."""
    found = kinds(
        transaction(Append(0, 1), Append(0, 2)),
        transaction(Read(0, (1,)), by="b"),
        final={0: (1, 2)},
    )
    assert found == {Kind.G1B}


@pytest.mark.parametrize("outcome", [COMMITTED, ABORTED])
def test_a_read_may_end_before_an_open_transaction(outcome: Outcome) -> None:
    """The other one began between the two values, and ended after the read."""
    found = kinds(
        transaction(Append(0, 1), Append(0, 2)),
        transaction(Append(0, 3), by="b", outcome=outcome),
        transaction(Read(0, (1,)), by="c"),
        final={0: (1, 3, 2) if outcome is COMMITTED else (1, 2)},
        log={0: (1, 3, 2)},
    )
    assert found == set()


def test_two_transactions_do_not_read_each_other() -> None:
    """G1c: each read what the other appended."""
    found = kinds(
        transaction(Append(0, 1), Read(1, (2,)), by="a"),
        transaction(Append(1, 2), Read(0, (1,)), by="b"),
        final={0: (1,), 1: (2,)},
    )
    assert found == {Kind.G1C}


def test_a_transaction_does_not_read_its_own_values() -> None:
    """G1c: a read_committed consumer received them before the commit."""
    assert kinds(transaction(Append(0, 1), Read(0, (1,))), final={0: (1,)}) == {Kind.G1C}


def test_a_cycle_may_consist_of_reads_and_writes() -> None:
    """G1c: b read from a's second transaction, and a's first one from b."""
    found = kinds(
        transaction(Append(0, 1), Read(1, (2,)), by="a"),
        transaction(Append(0, 3), by="a"),
        transaction(Append(1, 2), Read(0, (1, 3)), by="b"),
        final={0: (1, 3), 1: (2,)},
    )
    assert found == {Kind.G1C}


def test_a_value_is_not_read_before_its_commit_is_requested() -> None:
    """The read ended one second before."""
    found = kinds(
        transaction(Append(0, 1), commit_requested=2.0),
        transaction(Read(0, (1,), ended=1.0), by="b", commit_requested=3.0),
        final={0: (1,)},
    )
    assert found == {Kind.DIRTY_READ}


def test_an_acknowledged_value_is_not_lost() -> None:
    """The commit was acknowledged."""
    assert kinds(transaction(Append(0, 1)), final={0: ()}) == {Kind.LOST_WRITE}


def test_a_transaction_that_was_read_is_not_lost_in_another_partition() -> None:
    """Its outcome is unknown to its client, but one value is there."""
    found = kinds(transaction(Append(0, 1), Append(1, 2), outcome=UNKNOWN), final={0: (1,), 1: ()})
    assert found == {Kind.LOST_WRITE}


def test_a_value_that_was_read_does_not_disappear() -> None:
    """The last read does not have it any more."""
    found = kinds(
        transaction(Append(0, 1), outcome=UNKNOWN),
        transaction(Read(0, (1,)), by="b"),
        final={0: ()},
    )
    assert found == {Kind.LOST_WRITE, Kind.REORDERED}


def test_a_value_is_there_once() -> None:
    """A repeated batch was appended again."""
    assert kinds(transaction(Append(0, 1)), final={0: (1, 1)}) == {Kind.DUPLICATE}


def test_a_value_was_appended_by_a_transaction() -> None:
    """Nobody appended the value."""
    assert kinds(final={0: (7,)}) == {Kind.UNWRITTEN}


def test_reads_have_the_final_order() -> None:
    """Two values changed places."""
    found = kinds(
        transaction(Append(0, 1)),
        transaction(Append(0, 2), by="b"),
        transaction(Read(0, (2, 1)), by="c"),
        final={0: (1, 2)},
    )
    assert found == {Kind.REORDERED}


@pytest.mark.parametrize("copy", [(1, 2, 2, 3), (1, 3), (1, 3, 2), (1, 2, 3, 4), ()])
def test_a_copy_has_each_final_value_once_and_in_order(copy: tuple[int, ...]) -> None:
    """Values that are repeated, missing, moved or additional are found."""
    written = transaction(Append(0, 1), Append(0, 2), Append(0, 3))
    final = {0: (1, 2, 3)}
    exact = History((written,), final, final, {"copy": final})
    inexact = History((written,), final, final, {"copy": {0: copy}})
    assert anomalies(exact) == []
    assert [each.kind for each in anomalies(inexact)] == [Kind.COPY]
