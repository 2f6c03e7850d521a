"""Tests of the verification of transactions: `broker.storage.producers.verification_state`."""

from __future__ import annotations

from broker.storage.producers.verification_state import NO_GUARD, VerificationStateEntry
from tests.broker.storage.logs import NOW_MS


def entry() -> VerificationStateEntry:
    return VerificationStateEntry(NOW_MS, 4, 1, supports_epoch_bump=True)


def test_guards_are_unique_and_positive() -> None:
    """0 is the guard of an append without verification."""
    assert NO_GUARD < entry().guard < entry().guard


def test_the_lowest_sequence_of_an_epoch_is_kept() -> None:
    """Batches may be verified in another order."""
    verified = entry()
    for sequence in (6, 2, 4):
        verified.update(sequence, 1)
    assert verified.lowest_sequence == 2


def test_a_higher_epoch_replaces_the_lowest_sequence() -> None:
    """Its sequence numbers are others."""
    verified = entry()
    verified.update(9, 2)
    assert (verified.epoch, verified.lowest_sequence) == (2, 9)


def test_a_lower_epoch_changes_nothing() -> None:
    """The append refuses it."""
    verified = entry()
    verified.update(0, 0)
    assert (verified.epoch, verified.lowest_sequence) == (1, 4)
