"""Tests of each race that Kafka's purgatory guards against (for the timer's see timer/).

Where two threads must meet, one waits for the other at that point, so the result is deterministic.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Event, Lock, Thread
from typing import Any

import pytest

from purgatories.action_queue import ActionQueue
from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask
from tests.purgatories.manual_clock import ManualClock, MockOperation

PATIENCE_S = 30


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def purgatory(clock: ManualClock) -> DelayedOperationPurgatory[Any]:
    return DelayedOperationPurgatory("races", SystemTimer("races", now_ms=clock))


def test_condition_becomes_true_between_the_first_check_and_the_list(
    purgatory: DelayedOperationPurgatory[Any],
) -> None:
    """The event finds the list empty; the second check completes the operation."""
    operation = MockOperation()

    class Key:
        """Its hash is computed just before it is watched, and triggers the event."""

        def __hash__(self) -> int:
            if not operation.completable:
                operation.completable = True
                assert purgatory.check_and_complete(self) == 0
            return 1

    assert purgatory.try_complete_else_watch(operation, [Key()])
    assert operation.completions == 1


def test_checks_do_not_grow_with_the_keys(purgatory: DelayedOperationPurgatory[Any]) -> None:
    """Three hundred keys need two checks."""
    operation = MockOperation()
    purgatory.try_complete_else_watch(operation, range(300))
    assert operation.checks == 2


def test_completed_after_the_second_check_and_before_the_timer(clock: ManualClock) -> None:
    """cancel finds no timer entry; the operation must not stay in the wheel."""

    class Interrupted(SystemTimer):
        __slots__ = ()

        def add(self, task: TimerTask) -> None:
            assert isinstance(task, MockOperation)
            task.force_complete()
            super().add(task)

    purgatory = DelayedOperationPurgatory[Any]("races", Interrupted("races", now_ms=clock))
    operation = MockOperation()
    assert not purgatory.try_complete_else_watch(operation, ["a"])
    assert operation.completions == 1
    assert purgatory.num_delayed() == 0


def test_expiry_and_event_at_the_same_time() -> None:
    """Exactly one of the two completes it, and it counts as expired only if the timer did.

    The first one waits inside on_complete until the other has arrived.
    """
    for expiry_first in (True, False):
        inside, arrived = Event(), Event()

        class Slow(MockOperation):
            def on_complete(self) -> None:
                super().on_complete()
                inside.set()  # noqa: B023 - joined before the next iteration
                assert arrived.wait(PATIENCE_S)  # noqa: B023 - the same

        operation = Slow()
        first: Callable[[], object] = operation.run if expiry_first else operation.force_complete
        second = operation.force_complete if expiry_first else operation.run
        winner = Thread(target=first)
        winner.start()
        assert inside.wait(PATIENCE_S)
        second()
        arrived.set()
        winner.join()
        assert operation.completions == 1
        assert operation.expiries == (1 if expiry_first else 0)


def test_expiry_does_not_complete_during_try_complete() -> None:
    """KAFKA-19312: on_complete waits until a concurrent try_complete has returned."""
    order: list[str] = []
    looking, expiring = Event(), Event()

    class Slow(MockOperation):
        def try_complete(self) -> bool:
            looking.set()
            assert expiring.wait(PATIENCE_S)
            order.append("looked")
            return False

        def on_complete(self) -> None:
            order.append("done")

    operation = Slow()

    def expire() -> None:
        expiring.set()
        operation.run()

    looker = Thread(target=operation.safe_try_complete)
    looker.start()
    assert looking.wait(PATIENCE_S)
    timer = Thread(target=expire)
    timer.start()
    looker.join()
    timer.join()
    assert order == ["looked", "done"]


def test_check_that_meets_a_held_lock_is_not_lost(
    purgatory: DelayedOperationPurgatory[Any],
) -> None:
    """A check waits for the lock holder, which has read the old state, and then checks again."""
    looked, checking = Event(), Event()

    class Slow(MockOperation):
        slow = False

        def try_complete(self) -> bool:
            met = self.completable
            if self.slow:
                self.slow = False
                looked.set()
                assert checking.wait(PATIENCE_S)
            return met and self.force_complete()

    operation = Slow()
    purgatory.try_complete_else_watch(operation, ["a"])
    operation.slow = True
    dawdler = Thread(target=purgatory.check_and_complete, args=["a"])
    dawdler.start()
    assert looked.wait(PATIENCE_S)
    operation.completable = True

    def check() -> None:
        checking.set()
        purgatory.check_and_complete("a")

    checker = Thread(target=check)
    checker.start()
    dawdler.join()
    checker.join()
    assert operation.completions == 1


def test_lock_is_held_from_the_first_check_to_the_last() -> None:
    """Otherwise the creator holds lock L and waits for the operation, whose holder waits for L."""
    operation = MockOperation()
    free: list[bool] = []

    def look_from_elsewhere() -> None:
        thread = Thread(target=lambda: free.append(operation.lock.acquire(blocking=False)))
        thread.start()
        thread.join()

    operation.safe_try_complete_or_else(look_from_elsewhere)
    assert free == [False]


def test_check_is_queued_by_the_holder_of_a_needed_lock(
    purgatory: DelayedOperationPurgatory[Any],
) -> None:
    """A holder of lock X adds the check to the action queue, which avoids a deadlock."""
    lock_x = Lock()
    actions = ActionQueue()

    class NeedsX(MockOperation):
        def try_complete(self) -> bool:
            assert lock_x.acquire(timeout=PATIENCE_S)
            try:
                return super().try_complete()
            finally:
                lock_x.release()

    operation = NeedsX()
    purgatory.try_complete_else_watch(operation, ["a"])
    with lock_x:
        operation.completable = True
        actions.add(lambda: purgatory.check_and_complete("a"))
    actions.try_complete_actions()
    assert operation.completions == 1


def test_callback_checks_the_same_key(purgatory: DelayedOperationPurgatory[Any]) -> None:
    """No shard lock is held during a completion, so it may watch and check the same key."""
    successor = MockOperation()

    class Following(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            purgatory.try_complete_else_watch(successor, ["a"])
            purgatory.check_and_complete("a")
            purgatory.purge_if_due()
            assert purgatory.watched() >= 1

    operation = Following()
    purgatory.try_complete_else_watch(operation, ["a"])
    operation.completable = True
    thread = Thread(target=purgatory.check_and_complete, args=["a"], daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert operation.completions == 1
    assert not successor.is_completed
    successor.completable = True
    assert purgatory.check_and_complete("a") == 1


def test_key_is_removed_while_one_is_added(
    purgatory: DelayedOperationPurgatory[Any],
) -> None:
    """A check that found the list empty does not remove an operation added since."""
    late = MockOperation()

    class LastOne(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            purgatory.try_complete_else_watch(late, ["a"])

    last = LastOne()
    purgatory.try_complete_else_watch(last, ["a"])
    last.completable = True
    assert purgatory.check_and_complete("a") == 1
    late.completable = True
    assert purgatory.check_and_complete("a") == 1


def test_purge_and_completion_unlink_the_same_operation(clock: ManualClock) -> None:
    """Removing an operation twice has no effect."""
    purgatory = DelayedOperationPurgatory[Any](
        "races", SystemTimer("races", now_ms=clock), purge_interval=0
    )

    class Purging(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            purgatory.purge_if_due()

    operation = Purging()
    purgatory.try_complete_else_watch(operation, ["a", "b"])
    operation.completable = True
    assert purgatory.check_and_complete("a") == 1
    assert purgatory.watched() == 0


def test_completed_after_some_of_its_keys(purgatory: DelayedOperationPurgatory[Any]) -> None:
    """KAFKA-18027: an operation completed meanwhile is not watched on its remaining keys."""
    operation = MockOperation()

    class CompletingKey:
        def __hash__(self) -> int:
            operation.force_complete()
            return 2

    assert not purgatory.try_complete_else_watch(operation, ["a", CompletingKey(), "c", "d"])
    assert purgatory.watched() == 2
    assert purgatory.num_delayed() == 0


def test_exception_of_one_operation_in_a_check(
    purgatory: DelayedOperationPurgatory[Any], caplog: pytest.LogCaptureFixture
) -> None:
    """The rest of the list is checked (Kafka skips it until the next check)."""

    class Failing(MockOperation):
        def try_complete(self) -> bool:
            if self.completable:
                raise ZeroDivisionError
            return False

    operations = [Failing(), MockOperation(), MockOperation()]
    for operation in operations:
        purgatory.try_complete_else_watch(operation, ["a"])
        operation.completable = True
    with caplog.at_level(logging.ERROR):
        assert purgatory.check_and_complete("a") == 2
    assert [operation.completions for operation in operations] == [0, 1, 1]
    operations[0].run()
    assert operations[0].expiries == 1


def test_completions_that_set_off_completions(purgatory: DelayedOperationPurgatory[Any]) -> None:
    """A thousand completions that trigger each other run as queued actions, without recursion."""
    actions = ActionQueue()

    class Domino(MockOperation):
        number = 0

        def on_complete(self) -> None:
            super().on_complete()
            actions.add(lambda: purgatory.check_and_complete(self.number + 1))

    dominoes = [Domino() for _ in range(1000)]
    for number, domino in enumerate(dominoes):
        domino.number = number
        purgatory.try_complete_else_watch(domino, [number])
        domino.completable = True
    purgatory.check_and_complete(0)
    while len(actions):
        actions.try_complete_actions()
    assert all(domino.completions == 1 for domino in dominoes)


def test_operation_is_abandoned_during_its_completion() -> None:
    """Abandoning waits for a completion in progress and does not change it."""
    completing, leaving = Event(), Event()
    order: list[str] = []

    class Slow(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            completing.set()
            assert leaving.wait(PATIENCE_S)
            order.append("done")

    operation = Slow()
    completer = Thread(target=operation.force_complete)
    completer.start()
    assert completing.wait(PATIENCE_S)

    def leave() -> None:
        leaving.set()
        operation.abandon()
        order.append("left")

    leaver = Thread(target=leave)
    leaver.start()
    completer.join()
    leaver.join()
    assert order == ["done", "left"]
    assert operation.completions == 1
