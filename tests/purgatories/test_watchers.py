"""The list of one key, walked while it changes."""

from __future__ import annotations

import logging

import pytest

from purgatories.watchers import Watchers
from tests.purgatories.manual_clock import MockOperation


def _watchers(*operations: MockOperation) -> Watchers[MockOperation]:
    watchers = Watchers[MockOperation]()
    for operation in operations:
        watchers.watch(operation)
    return watchers


def test_operations_are_asked_in_order_of_arrival() -> None:
    """First come, first completed."""
    order: list[int] = []

    class Numbered(MockOperation):
        number = 0

        def on_complete(self) -> None:
            order.append(self.number)

    operations = [Numbered(completable=True) for _ in range(5)]
    for number, operation in enumerate(operations):
        operation.number = number
    assert _watchers(*operations).try_complete_watched() == 5
    assert order == [0, 1, 2, 3, 4]


def test_who_is_not_completed_stays_in_place() -> None:
    """Only completed operations leave the list."""
    waiting = [MockOperation() for _ in range(2)]
    watchers = _watchers(waiting[0], MockOperation(completable=True), waiting[1])
    assert watchers.try_complete_watched() == 1
    assert list(watchers.operations) == waiting


def test_exception_of_one_does_not_keep_others_waiting(caplog: pytest.LogCaptureFixture) -> None:
    """It is logged; the operation stays on the list, for a later check or its timer."""

    class Failing(MockOperation):
        def try_complete(self) -> bool:
            raise ZeroDivisionError

    failing, other = Failing(), MockOperation(completable=True)
    watchers = _watchers(failing, other)
    with caplog.at_level(logging.ERROR):
        assert watchers.try_complete_watched() == 1
    assert list(watchers.operations) == [failing]
    assert other.completions == 1


def test_who_arrives_during_a_walk_is_not_part_of_it() -> None:
    """It has looked for itself after it was put on the list; so the walk ends."""

    class Following(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            watchers.watch(Following(completable=True))

    watchers = _watchers(Following(completable=True))
    assert watchers.try_complete_watched() == 1
    assert len(watchers.operations) == 1


def test_purge_drops_completed_ones_and_counts_them() -> None:
    """Nobody is asked."""
    done, waiting = MockOperation(), MockOperation(completable=True)
    watchers = _watchers(done, waiting)
    done.force_complete()
    assert watchers.purge_completed() == 1
    assert list(watchers.operations) == [waiting]
    assert waiting.checks == 0


def test_cancel_empties_the_list_without_completing() -> None:
    """The operations are handed back."""
    operations = [MockOperation(), MockOperation()]
    watchers = _watchers(*operations)
    assert watchers.cancel() == operations
    assert not watchers.operations
    assert not any(operation.is_completed for operation in operations)
