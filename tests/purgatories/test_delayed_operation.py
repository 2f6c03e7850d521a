"""What Kafka's DelayedOperationTest says of one operation, and what is ours."""

from __future__ import annotations

from threading import Thread

import pytest

from purgatories.delayed_operation import TIMEOUT, DelayedOperation
from purgatories.timer.system_timer import SystemTimer
from tests.purgatories.manual_clock import ManualClock, MockOperation


def test_safe_try_complete_or_else() -> None:
    """DelayedOperationTest.testSafeTryCompleteOrElse: the action runs only after a first no."""
    operation = MockOperation()
    asked: list[str] = []

    def make_completable() -> None:
        asked.append("action")
        operation.completable = True

    assert operation.safe_try_complete_or_else(make_completable)
    assert asked == ["action"]
    ready = MockOperation(completable=True)
    assert ready.safe_try_complete_or_else(lambda: asked.append("never"))
    assert asked == ["action"]


def test_second_look_decides() -> None:
    """No at first and no after the action: False."""
    operation = MockOperation()
    assert not operation.safe_try_complete_or_else(lambda: None)
    assert operation.checks == 2


def test_of_all_callers_exactly_one_completes() -> None:
    """force_complete is True once; on_complete runs once."""
    operation = MockOperation()
    won: list[bool] = []
    threads = [Thread(target=lambda: won.append(operation.force_complete())) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 19 + [True]
    assert operation.completions == 1


def test_completing_cancels_the_timer_before_it_answers() -> None:
    """Nothing is left in the wheel when on_complete runs."""
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
    """So watchers may drop the operation while its answer is still being made."""
    seen: list[bool] = []

    class Looking(MockOperation):
        def on_complete(self) -> None:
            seen.append(self.is_completed)

    Looking().force_complete()
    assert seen == [True]


def test_expiry_answers_first_and_keeps_account_second() -> None:
    """on_complete, then on_expiration."""
    order: list[str] = []

    class Ordered(MockOperation):
        def on_complete(self) -> None:
            order.append("complete")

        def on_expiration(self) -> None:
            order.append("expiration")

    Ordered().run()
    assert order == ["complete", "expiration"]


def test_operation_completed_by_an_event_never_expires() -> None:
    """run after force_complete does nothing."""
    operation = MockOperation()
    operation.force_complete()
    operation.run()
    assert (operation.completions, operation.expiries) == (1, 0)


def test_completed_operation_is_not_asked_again() -> None:
    """safe_try_complete says False without a check."""
    operation = MockOperation(completable=True)
    assert operation.safe_try_complete()
    assert not operation.safe_try_complete()
    assert operation.checks == 1


def test_every_question_is_counted() -> None:
    """`checks` is how often try_complete was asked."""
    operation = MockOperation()
    operation.safe_try_complete_or_else(lambda: None)
    for _ in range(3):
        operation.safe_try_complete()
    assert operation.checks == 5


def test_abandoned_operation_answers_nobody() -> None:
    """It counts as completed, its timer is gone, and no callback runs then or later."""
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


def test_abandoning_comes_too_late_for_a_completed_operation() -> None:
    """Whoever completed it first has answered, and that stands."""
    operation = MockOperation()
    operation.force_complete()
    operation.abandon()
    assert operation.completions == 1


def test_on_complete_that_raises_completes_all_the_same() -> None:
    """The exception goes to who completed it; nobody completes it a second time."""

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
    """The operation can still be completed by somebody else."""

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


def test_cause_is_known_while_it_is_answered() -> None:
    """on_complete sees what the look that completed the operation was made for."""
    seen: list[object] = []

    class Looking(MockOperation):
        def on_complete(self) -> None:
            seen.append(self.completed_by)

    Looking(completable=True).safe_try_complete("append")
    Looking(completable=True).safe_try_complete()
    Looking().force_complete("leadership")
    Looking().run()
    assert seen == ["append", None, "leadership", TIMEOUT]


def test_look_in_vain_leaves_no_cause() -> None:
    """Who completes it later without a cause gets none; who gives one gets that."""
    operation, other = MockOperation(), MockOperation()
    for each in (operation, other):
        each.safe_try_complete("append")
        assert each.completed_by is None
    operation.force_complete()
    assert operation.completed_by is None
    other.run()
    assert other.completed_by == TIMEOUT


def test_first_cause_stands() -> None:
    """Whoever comes after the winner changes nothing."""
    operation = MockOperation(completable=True)
    operation.force_complete("first")
    operation.safe_try_complete("second")
    operation.force_complete("third")
    operation.run()
    assert operation.completed_by == "first"


def test_operation_may_know_its_cause_better() -> None:
    """A cause given by try_complete itself goes before that of the event."""

    class Knowing(MockOperation):
        def try_complete(self) -> bool:
            return self.force_complete("leadership")

    operation = Knowing()
    operation.safe_try_complete("append")
    assert operation.completed_by == "leadership"


def test_look_that_raises_leaves_no_cause() -> None:
    """Only an on_complete that raises keeps it: the operation is completed then."""

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


def test_subclass_must_say_what_it_waits_for() -> None:
    """try_complete and on_complete are abstract."""
    with pytest.raises(TypeError, match="abstract"):
        DelayedOperation(1)  # type: ignore[abstract] # that is what is tested
