"""Tests of Kafka 1.1 to 2.6: a check that finds the lock taken must still lead to completion."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread

import pytest

from purgatories.purgatory import DelayedOperationPurgatory
from purgatories.timer.system_timer import SystemTimer
from purgatories.try_lock_operation import TryLockOperation


class Contended(TryLockOperation):
    """Its first check evaluates the condition, then waits before it releases the lock."""

    def __init__(self) -> None:
        super().__init__(10_000)
        self.condition = False
        self.looked = Event()
        self.go_on = Event()
        self.completions = 0

    def try_complete(self) -> bool:
        met = self.condition
        if not self.looked.is_set():
            self.looked.set()
            assert self.go_on.wait(30)
        return met and self.force_complete()

    def on_complete(self) -> None:
        self.completions += 1


class WithoutFlag(Contended):
    """Kafka 0.11 and 1.0: a check that finds the lock taken does nothing."""

    def maybe_try_complete(self, cause: object = None) -> bool:
        if self.lock.acquire(blocking=False):
            try:
                return self.try_complete()
            finally:
                self.lock.release()
        return False


def _check_that_meets_a_held_lock(operation: Contended) -> None:
    """A checks too early and waits; B's event finds the lock taken."""
    dawdler = Thread(target=operation.maybe_try_complete, args=["too early"])
    dawdler.start()
    assert operation.looked.wait(30)
    operation.condition = True
    assert not operation.maybe_try_complete("event")
    operation.go_on.set()
    dawdler.join(30)


def test_try_complete_lock_contention() -> None:
    """DelayedOperationTest.testTryCompleteLockContention: the lock holder checks again."""
    operation = Contended()
    _check_that_meets_a_held_lock(operation)
    assert operation.is_completed
    assert operation.completions == 1
    assert operation.completed_by == "event"


def test_lost_wake_up_without_the_flag() -> None:
    """KAFKA-6653: without the flag no thread checks after the event."""
    operation = WithoutFlag()
    _check_that_meets_a_held_lock(operation)
    assert not operation.is_completed


def test_no_check_waits_for_the_lock() -> None:
    """DelayedOperationTest.testDelayedOperationLock: a check returns if the lock is taken."""
    operation = Contended()
    dawdler = Thread(target=operation.maybe_try_complete)
    dawdler.start()
    assert operation.looked.wait(30)
    assert not operation.safe_try_complete()  # returns although the lock is held
    operation.go_on.set()
    dawdler.join(30)
    assert not operation.is_completed


class ContendedAgain(Contended):
    """Its second check evaluates the condition, then waits before it releases the lock."""

    def try_complete(self) -> bool:
        if self.checks < 2:
            return False
        return super().try_complete()


def test_event_during_the_second_check_leads_to_completion() -> None:
    """The event finds the lock taken by the second check of the creator, which checks again."""
    operation = ContendedAgain()
    timer = SystemTimer("try lock", now_ms=lambda: 0)
    purgatory = DelayedOperationPurgatory[ContendedAgain]("try lock", timer)
    creator = Thread(target=purgatory.try_complete_else_watch, args=[operation, ["key"]])
    creator.start()
    assert operation.looked.wait(30)
    operation.condition = True
    assert purgatory.check_and_complete("key") == 0
    operation.go_on.set()
    creator.join(30)
    assert operation.completions == 1


def test_event_between_the_two_checks_completes_it() -> None:
    """The lock is free while the keys are watched; the creator finds the operation complete."""
    operation = ContendedAgain()
    operation.looked.set()

    def watch() -> None:
        operation.condition = True
        assert operation.safe_try_complete("event")

    assert not operation.safe_try_complete_or_else(watch)
    assert operation.completions == 1
    assert operation.completed_by == "event"


@pytest.mark.parametrize(
    "check", [TryLockOperation.maybe_try_complete, TryLockOperation.safe_try_complete]
)
def test_completes_like_any_other(check: Callable[[TryLockOperation], bool]) -> None:
    """Without contention there is one check, and True only for the caller that completed it."""
    operation = Contended()
    operation.looked.set()
    assert not check(operation)
    operation.condition = True
    assert check(operation)
    assert not check(operation)
    assert operation.completions == 1
