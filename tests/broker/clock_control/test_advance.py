"""What an advance of the clock lists."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.clock_control.advance import Advance, describe
from broker.coordinators.coordinator_timer import CoordinatorTimer
from broker.steps.queue import Slices, StepQueue
from broker.steps.schedule import InSlices, schedule, schedule_once
from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


def timer() -> SystemTimer:
    """A timer whose clock is still."""
    return SystemTimer("a", now_ms=lambda: 0.0)


def test_a_scheduled_task_has_the_name_of_its_action() -> None:
    """Also if arguments are bound to it."""
    once = schedule_once(timer(), timer, delay_ms=1)
    periodic = schedule(timer(), partial(print, "x"), delay_ms=1, period_ms=1)

    assert describe(once) == "timer"
    assert describe(periodic) == "print"


def test_an_action_in_slices_has_the_name_of_its_work() -> None:
    """Not that of the class that starts it."""

    def work() -> Slices[None]:
        yield None

    action = InSlices(timer(), StepQueue(lambda: 0.0), work)
    assert describe(schedule_once(timer(), action, delay_ms=1)) == "work"


def test_a_local_function_has_its_own_name() -> None:
    """Without the function that defines it."""

    def act() -> None:
        raise NotImplementedError

    assert describe(schedule_once(timer(), act, delay_ms=1)) == "act"


class LogManager:
    """Has actions of a class."""

    def checkpoint_in_slices(self) -> Slices[None]:
        yield None

    def each(self, do: object) -> Slices[None]:
        yield None

    def action(self) -> Callable[[], None]:
        return lambda: None


def test_a_method_has_the_words_of_its_class_and_its_name() -> None:
    """A lambda function has no name; the function that another one applies is named instead."""
    logs = LogManager()

    def describe_action(action: Callable[[], object]) -> str:
        return describe(schedule_once(timer(), action, delay_ms=1))

    assert describe_action(logs.checkpoint_in_slices) == "log manager: checkpoint"
    assert describe_action(logs.action()) == "log manager"
    assert describe_action(lambda: None) == "a task"
    assert describe_action(partial(logs.each, _flush_if_due)) == "flush if due"


def _flush_if_due() -> None:
    raise NotImplementedError


def test_a_timeout_of_a_coordinator_has_its_key() -> None:
    """What a client has named is printable."""
    timeouts = CoordinatorTimer(timer(), ActionQueue())
    timeouts.schedule(("g\n", "m"), 10, print)
    ((_, task),) = timeouts.scheduled()

    assert describe(task) == r"CoordinatorTimeout g\n m"


def test_another_task_has_the_name_of_its_class() -> None:
    """As in the snapshot of a timer."""
    assert describe(TimerTask(1)) == "TimerTask"


def test_a_step_has_its_time_and_its_tasks() -> None:
    """Each task with its timer and its node."""
    advance = Advance(1000, 10)
    advance.begin_step(1500)
    advance.observer(2)(timer(), TimerTask(1))
    advance.end_step([])

    (step,) = advance.steps
    assert (step.after_ms, step.tasks) == (500, [(2, "a", "TimerTask")])


def test_a_step_in_which_nothing_happened_is_not_kept() -> None:
    """A timer may only have moved tasks to a finer wheel."""
    advance = Advance(1000, 10)
    advance.begin_step(1500)
    advance.end_step([])

    assert (advance.steps_taken, list(advance.steps)) == (0, [])
