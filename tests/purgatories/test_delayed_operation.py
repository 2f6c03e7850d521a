"""Kafka's DelayedOperationTest for a single operation, and tests of what Kafka does not have."""

from __future__ import annotations

from threading import Thread

import pytest

from purgatories.delayed_operation import TIMEOUT, DelayedOperation
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.builds import only_pure
from tests.purgatories.manual_clock import ManualClock, MockOperation


def test_safe_try_complete_or_else() -> None:
    """DelayedOperationTest.testSafeTryCompleteOrElse: the action runs if the first check fails."""
    operation = MockOperation()
    checked: list[str] = []

    def make_completable() -> None:
        checked.append("action")
        operation.completable = True

    assert operation.safe_try_complete_or_else(make_completable)
    assert checked == ["action"]
    ready = MockOperation(completable=True)
    assert ready.safe_try_complete_or_else(lambda: checked.append("never"))
    assert checked == ["action"]


def test_second_check_decides() -> None:
    """False if the checks before and after the action both fail."""
    operation = MockOperation()
    assert not operation.safe_try_complete_or_else(lambda: None)
    assert operation.checks == 2


def test_of_all_callers_exactly_one_completes() -> None:
    """force_complete returns True once; on_complete runs once."""
    operation = MockOperation()
    won: list[bool] = []
    threads = [Thread(target=lambda: won.append(operation.force_complete())) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 19 + [True]
    assert operation.completions == 1


def test_timer_is_cancelled_before_on_complete() -> None:
    """The timer's wheel is empty when on_complete runs."""
    timer = SystemTimer("t", now_ms=ManualClock())
    sizes: list[int] = []

    class Looking(MockOperation):
        def on_complete(self) -> None:
            sizes.append(timer.size)

    operation = Looking(100)
    timer.add(operation)
    assert timer.size == 1
    operation.force_complete()
    assert sizes == [0]


def test_is_completed_is_visible_in_on_complete() -> None:
    """is_completed is True in on_complete, so watchers may already drop the operation."""
    seen: list[bool] = []

    class Looking(MockOperation):
        def on_complete(self) -> None:
            seen.append(self.is_completed)

    Looking().force_complete()
    assert seen == [True]


def test_on_complete_runs_before_on_expiration() -> None:
    """on_complete runs before on_expiration."""
    order: list[str] = []

    class Ordered(MockOperation):
        def on_complete(self) -> None:
            order.append("complete")

        def on_expiration(self) -> None:
            order.append("expiration")

    Ordered().run()
    assert order == ["complete", "expiration"]


def test_operation_completed_by_an_event_never_expires() -> None:
    """run does nothing after force_complete."""
    operation = MockOperation()
    operation.force_complete()
    operation.run()
    assert (operation.completions, operation.expiries) == (1, 0)


def test_completed_operation_is_not_checked_again() -> None:
    """safe_try_complete returns False without a call of try_complete."""
    operation = MockOperation(completable=True)
    assert operation.safe_try_complete()
    assert not operation.safe_try_complete()
    assert operation.checks == 1


def test_every_check_is_counted() -> None:
    """`checks` counts the calls of try_complete."""
    operation = MockOperation()
    operation.safe_try_complete_or_else(lambda: None)
    for _ in range(3):
        operation.safe_try_complete()
    assert operation.checks == 5


def test_abandoned_operation_calls_nothing() -> None:
    """An abandoned operation is completed and has no timer; no callback runs then or later."""
    clock = ManualClock()
    timer = SystemTimer("t", now_ms=clock)
    operation = MockOperation(10, completable=True)
    timer.add(operation)
    operation.abandon()
    assert operation.is_completed
    assert timer.size == 0
    assert not operation.safe_try_complete()
    assert not operation.force_complete()
    operation.run()
    assert (operation.completions, operation.expiries, operation.checks) == (0, 0, 0)


def test_abandoning_a_completed_operation_has_no_effect() -> None:
    """Abandoning a completed operation changes nothing."""
    operation = MockOperation()
    operation.force_complete()
    operation.abandon()
    assert operation.completions == 1


def test_on_complete_that_raises_completes_all_the_same() -> None:
    """The exception propagates to the thread that completes; no second completion is possible."""

    class Failing(MockOperation):
        def on_complete(self) -> None:
            super().on_complete()
            raise ZeroDivisionError

    operation = Failing(completable=True)
    with pytest.raises(ZeroDivisionError):
        operation.safe_try_complete()
    assert operation.is_completed
    assert not operation.force_complete()
    assert operation.completions == 1


def test_failed_try_complete_lets_go_of_the_lock() -> None:
    """After an exception in try_complete another thread can complete the operation."""

    class Failing(MockOperation):
        def try_complete(self) -> bool:
            raise ZeroDivisionError

    operation = Failing()
    with pytest.raises(ZeroDivisionError):
        operation.safe_try_complete()
    other = Thread(target=operation.force_complete)
    other.start()
    other.join(30)
    assert operation.completions == 1


# --------------------------------------------------------------------------------------- causes


def test_cause_is_set_in_on_complete() -> None:
    """on_complete can read the cause of the check that completed the operation."""
    seen: list[object] = []

    class Looking(MockOperation):
        def on_complete(self) -> None:
            seen.append(self.completed_by)

    Looking(completable=True).safe_try_complete("append")
    Looking(completable=True).safe_try_complete()
    Looking().force_complete("leadership")
    Looking().run()
    assert seen == ["append", None, "leadership", TIMEOUT]


def test_unsuccessful_check_leaves_no_cause() -> None:
    """A check that does not complete leaves no cause; a later completion has its own or None."""
    operation, other = MockOperation(), MockOperation()
    for each in (operation, other):
        each.safe_try_complete("append")
        assert each.completed_by is None
    operation.force_complete()
    assert operation.completed_by is None
    other.run()
    assert other.completed_by == TIMEOUT


def test_first_cause_is_kept() -> None:
    """A second completion does not change the cause."""
    operation = MockOperation(completable=True)
    operation.force_complete("first")
    operation.safe_try_complete("second")
    operation.force_complete("third")
    operation.run()
    assert operation.completed_by == "first"


def test_cause_of_try_complete_takes_precedence() -> None:
    """A cause passed by try_complete itself takes precedence over that of the event."""

    class Knowing(MockOperation):
        def try_complete(self) -> bool:
            return self.force_complete("leadership")

    operation = Knowing()
    operation.safe_try_complete("append")
    assert operation.completed_by == "leadership"


def test_check_that_raises_leaves_no_cause() -> None:
    """A check that raises leaves no cause, unless on_complete raised: that one is completed."""

    class Failing(MockOperation):
        def try_complete(self) -> bool:
            if not self.completable:
                raise ZeroDivisionError
            return super().try_complete()

        def on_complete(self) -> None:
            raise ZeroDivisionError

    operation = Failing()
    with pytest.raises(ZeroDivisionError):
        operation.safe_try_complete("too early")
    assert operation.completed_by is None
    operation.completable = True
    with pytest.raises(ZeroDivisionError):
        operation.safe_try_complete("append")
    assert operation.completed_by == "append"


@only_pure("an abstract class that is compiled can be instantiated; mypy finds it")
def test_subclass_must_say_what_it_waits_for() -> None:
    """try_complete and on_complete are abstract."""
    with pytest.raises(TypeError, match="abstract"):
        DelayedOperation(1)  # type: ignore[abstract] # that is what is tested


def test_an_observer_gets_the_cause_of_each_check_of_an_event() -> None:
    """Before the check, and not of the checks of the creator."""
    operation = MockOperation()
    causes: list[object] = []
    operation.on_check = causes.append

    operation.safe_try_complete_or_else(lambda: None)
    operation.safe_try_complete("append")
    operation.safe_try_complete()

    assert causes == ["append", None]
