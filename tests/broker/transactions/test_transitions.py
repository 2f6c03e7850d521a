"""The values of transitions, and the rules that they must obey."""

from __future__ import annotations

from dataclasses import replace

import pytest

from broker.transactions.metadata import TransactionValue
from broker.transactions.transaction_partitions import TransactionPartitions
from broker.transactions.transaction_state import TransactionState
from broker.transactions.transitions import (
    check_transition,
    completed,
    dead,
    fenced,
    initialized,
    is_epoch_exhausted,
    prepared,
    with_partitions,
)
from tests.broker.transactions.test_initialization import value
from tests.broker.transactions.world import A, B

NOW_MS = 500
EMPTY, OPEN = value("EMPTY"), value("ONGOING")
COMMITTED, ABORTED = value("COMPLETE_COMMIT"), value("COMPLETE_ABORT")
PREPARED = prepared(OPEN, commit=True, client_version=2, now_ms=NOW_MS)
EXHAUSTED = value("ONGOING", epoch=32_766)

Transition = tuple[TransactionValue, TransactionValue]


def is_valid(before: TransactionValue, after: TransactionValue) -> bool:
    """Whether the transition obeys the rules."""
    try:
        check_transition(before, after)
    except AssertionError:
        return False
    return True


VALID: dict[str, Transition] = {
    "epoch": (EMPTY, initialized(EMPTY, 7, 6, 5, 1000, NOW_MS)),
    "same epoch": (COMMITTED, initialized(COMMITTED, 7, 5, 4, 1000, NOW_MS)),
    "other id": (ABORTED, initialized(ABORTED, 90, 0, 5, 1000, NOW_MS)),
    "first": (EMPTY, with_partitions(EMPTY, [A], 2, NOW_MS)),
    "next transaction": (COMMITTED, with_partitions(COMMITTED, [A], 0, NOW_MS)),
    "more": (OPEN, with_partitions(OPEN, [A, B], 2, NOW_MS)),
    "prepare": (OPEN, PREPARED),
    "prepare with protocol 1": (
        OPEN,
        prepared(OPEN, commit=False, client_version=0, now_ms=NOW_MS),
    ),
    "abort of nothing": (
        ABORTED,
        prepared(ABORTED, commit=False, client_version=2, now_ms=NOW_MS),
    ),
    "fence": (
        fenced(OPEN),
        prepared(fenced(OPEN), commit=False, client_version=0, now_ms=NOW_MS),
    ),
    "complete": (PREPARED, completed(PREPARED, NOW_MS)),
    "clock that steps back": (PREPARED, completed(PREPARED, 0)),
    "expire": (COMMITTED, dead(COMMITTED, NOW_MS)),
}


@pytest.mark.parametrize("transition", VALID.values(), ids=VALID)
def test_the_transitions_obey_the_rules(transition: Transition) -> None:
    """Each of those that requests cause."""
    assert is_valid(*transition)


def test_a_state_follows_only_its_predecessors() -> None:
    """Every pair of states, as Kafka's validPreviousStates."""
    names = {
        "EMPTY": {"EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"},
        "ONGOING": {"ONGOING", "EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"},
        "PREPARE_COMMIT": {"ONGOING"},
        "PREPARE_ABORT": {"ONGOING", "EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"},
        "COMPLETE_COMMIT": {"PREPARE_COMMIT"},
        "COMPLETE_ABORT": {"PREPARE_ABORT"},
        "DEAD": {"EMPTY", "COMPLETE_COMMIT", "COMPLETE_ABORT"},
    }
    states = [state for state in TransactionState if state.name in names]

    # Values that violate no other rule.
    def of(state: TransactionState) -> TransactionValue:
        start_ms = -1 if state.name == "EMPTY" else 100
        return replace(EMPTY, state=state, start_ms=start_ms)

    allowed = {
        after.name: {
            before.name
            for before in states
            if is_valid(replace(of(before), start_ms=of(after).start_ms), of(after))
        }
        for after in states
    }

    assert allowed == names


INVALID: dict[str, Transition] = {
    "epoch jumps": (EMPTY, initialized(EMPTY, 7, 8, 5, 1000, NOW_MS)),
    "other id with an epoch": (EMPTY, initialized(EMPTY, 90, 1, 5, 1000, NOW_MS)),
    "empty with partitions": (
        COMMITTED,
        replace(EMPTY, partitions=TransactionPartitions({A}), start_ms=-1),
    ),
    "empty with a start": (COMMITTED, replace(EMPTY, start_ms=5)),
    "partition lost": (OPEN, replace(OPEN, partitions=TransactionPartitions({B}))),
    "timeout changes": (OPEN, replace(OPEN, timeout_ms=1)),
    "start changes": (OPEN, replace(OPEN, start_ms=1)),
    "identity changes": (OPEN, replace(OPEN, producer_epoch=6)),
    "prepared with other partitions": (
        OPEN,
        replace(PREPARED, partitions=TransactionPartitions({B})),
    ),
    "prepared with another start": (OPEN, replace(PREPARED, start_ms=1)),
    "prepared without last epoch": (OPEN, replace(PREPARED, last_producer_epoch=-1)),
    "completed without start": (
        replace(PREPARED, start_ms=-1),
        replace(completed(PREPARED, NOW_MS), start_ms=-1),
    ),
    "completed with another epoch": (
        PREPARED,
        replace(completed(PREPARED, NOW_MS), producer_epoch=9),
    ),
}


@pytest.mark.parametrize("transition", INVALID.values(), ids=INVALID)
def test_other_transitions_are_bugs(transition: Transition) -> None:
    """They are found before they take effect."""
    assert not is_valid(*transition)


def test_a_transaction_completes_with_its_next_producer_id() -> None:
    """The last epoch stays the last one that the client has used."""
    before = prepared(EXHAUSTED, commit=True, client_version=2, next_producer_id=90, now_ms=NOW_MS)

    after = completed(before, NOW_MS)

    check_transition(before, after)
    assert (after.producer_id, after.producer_epoch) == (90, 0)
    assert (after.prev_producer_id, after.last_producer_epoch) == (7, 32_766)
    assert after.next_producer_id == -1


@pytest.mark.parametrize(("epoch", "expected"), [(32_765, False), (32_766, True), (32_767, True)])
def test_an_epoch_is_exhausted_before_its_last_value(epoch: int, expected: bool) -> None:
    """The last value is for markers."""
    assert is_epoch_exhausted(value(epoch=epoch)) is expected
