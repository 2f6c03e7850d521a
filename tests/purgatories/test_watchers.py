"""Tests of the list of one key, also while it changes."""

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


def test_operations_are_checked_in_order_of_arrival() -> None:
    """Operations are checked in the order in which they were added."""
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


def test_uncompleted_operation_stays_in_place() -> None:
    """Only completed operations are removed from the list."""
    waiting = [MockOperation() for _ in range(2)]
    watchers = _watchers(waiting[0], MockOperation(completable=True), waiting[1])
    assert watchers.try_complete_watched() == 1
    assert list(watchers.operations) == waiting


@pytest.mark.parametrize("arrival", range(4))
def test_an_operation_is_watched_by_its_arrival(arrival: int) -> None:
    """Before those that arrived later, after the others."""
    operations = [MockOperation() for _ in range(4)]
    for number, operation in enumerate(operations):
        operation.arrival = number
    late = operations[arrival]
    watchers = _watchers(*(each for each in operations if each is not late))

    watchers.watch_by_arrival(late)

    assert list(watchers.operations) == operations


def test_an_operation_that_is_watched_twice_is_listed_once() -> None:
    """By its arrival as well."""
    first, second = MockOperation(), MockOperation()
    first.arrival, second.arrival = 1, 2
    watchers = _watchers(first, second)

    watchers.watch_by_arrival(first)

    assert list(watchers.operations) == [first, second]


def test_an_unmet_condition_is_checked_once() -> None:
    """Operations that could not complete either are not checked."""
    operations = [MockOperation() for _ in range(4)]
    for operation, condition in zip(operations, ("a", "a", None, None), strict=True):
        operation.shared_condition = condition
    watchers = _watchers(*operations)
    assert watchers.try_complete_watched() == 0
    assert [each.checks for each in operations] == [1, 0, 1, 1]
    assert list(watchers.operations) == operations


def test_a_condition_is_checked_again_after_a_completion() -> None:
    """A completion may change what the condition depends on."""
    operations = [MockOperation(), MockOperation(completable=True), MockOperation()]
    operations[0].shared_condition = operations[2].shared_condition = "a"
    assert _watchers(*operations).try_complete_watched() == 1
    assert [each.checks for each in operations] == [1, 1, 1]


def test_exception_of_one_does_not_keep_others_waiting(caplog: pytest.LogCaptureFixture) -> None:
    """The exception is logged; the operation stays in the list for later checks or its timer."""

    class Failing(MockOperation):
        def try_complete(self) -> bool:
            raise ZeroDivisionError

    failing, other = Failing(), MockOperation(completable=True)
    watchers = _watchers(failing, other)
    with caplog.at_level(logging.ERROR):
        assert watchers.try_complete_watched() == 1
    assert list(watchers.operations) == [failing]
    assert other.completions == 1


def test_a_completed_operation_leaves_a_list_that_its_completion_has_changed() -> None:
    """The completion adds an operation that arrived earlier."""
    earlier = MockOperation()
    earlier.arrival = 1

    class Preceded(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            watchers.watch_by_arrival(earlier)

    completed = Preceded(completable=True)
    completed.arrival = 2
    watchers = _watchers(completed)

    watchers.try_complete_watched()

    assert list(watchers.operations) == [earlier]


def test_operation_added_during_a_check_is_not_checked() -> None:
    """An operation added during a check of the list is not checked by it, so the check ends."""

    class Following(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            watchers.watch(Following(completable=True))

    watchers = _watchers(Following(completable=True))
    assert watchers.try_complete_watched() == 1
    assert len(watchers.operations) == 1


def test_purge_drops_completed_ones_and_counts_them() -> None:
    """A purge removes completed operations, returns their number and checks none."""
    done, waiting = MockOperation(), MockOperation(completable=True)
    watchers = _watchers(done, waiting)
    done.force_complete()
    assert watchers.purge_completed() == 1
    assert list(watchers.operations) == [waiting]
    assert waiting.checks == 0


def test_cancel_empties_the_list_without_completing() -> None:
    """Cancelling empties the list and returns the operations."""
    operations = [MockOperation(), MockOperation()]
    watchers = _watchers(*operations)
    assert watchers.cancel() == operations
    assert not watchers.operations
    assert not any(operation.is_completed for operation in operations)


def test_completed_operations_do_not_wait() -> None:
    """They stay on the list until it is checked or purged."""
    watchers, first, second = Watchers[MockOperation](), MockOperation(), MockOperation()
    watchers.watch(first)
    watchers.watch(second)
    first.force_complete()

    assert watchers.waiting() == [second]
