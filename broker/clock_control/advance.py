"""What happened while the clock was moved forwards: the tasks that ran, and the responses."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import NamedTuple

from broker.coordinators.coordinator_timer import CoordinatorTimeout
from broker.steps.schedule import InSlices, ScheduledTask
from broker.wait_records.record import WaitRecord
from protocol.lazy_dataclass import dataclass
from protocol.printable import printable
from purgatories.timer.snapshot import kind_of
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class TaskRun(NamedTuple):
    """A task that a timer has run; ``node_id`` None: the timer belongs to the cluster."""

    node_id: int | None
    timer: str
    task: str


@dataclass(slots=True)
class Step:
    """The tasks that ran at one time, and the requests that ended before the next step.

    ``after_ms`` counts from the beginning of the advance.
    """

    after_ms: float
    tasks: list[TaskRun] = field(default_factory=list)
    responses: Sequence[WaitRecord] = ()


class Advance:
    """The last *steps_max* steps in which a task ran or a request ended."""

    def __init__(self, began_ms: float, steps_max: int) -> None:
        self.began_ms = began_ms
        self.duration_ms = 0.0
        self.tasks_run = 0
        self.steps_taken = 0
        self.steps: deque[Step] = deque(maxlen=steps_max)
        self._step = Step(0)

    def begin_step(self, now_ms: float) -> None:
        """The clock has moved to *now_ms*."""
        self._step = Step(now_ms - self.began_ms)

    def end_step(self, responses: Sequence[WaitRecord]) -> None:
        """The event loop is idle again; *responses* are the requests that have ended."""
        step = self._step
        step.responses = [each for each in responses if not each.follower]
        if step.tasks or step.responses:
            self.steps_taken += 1
            self.steps.append(step)

    def observer(self, node_id: int | None) -> Callable[[SystemTimer, TimerTask], None]:
        """A function for `SystemTimer.on_run` of a timer of that node."""

        def observe(timer: SystemTimer, task: TimerTask) -> None:
            self.tasks_run += 1
            self._step.tasks.append(TaskRun(node_id, timer.name, describe(task)))

        return observe


def describe(task: TimerTask) -> str:
    """The kind of *task*, and the action or the key of those that only differ in it."""
    if isinstance(task, ScheduledTask):
        return _name_of(task.action)
    if isinstance(task, CoordinatorTimeout):
        key = task.key if isinstance(task.key, tuple) else (task.key,)
        return f"{kind_of(task)} {printable(' '.join(map(_text, key)))}"
    return kind_of(task)


def _text(part: object) -> str:
    return str(getattr(part, "value", part))


def _name_of(action: Callable[[], object]) -> str:
    if isinstance(action, InSlices):
        action = action.work
    function = getattr(action, "func", action)  # of a partial
    name = str(getattr(function, "__qualname__", type(function).__name__))
    return name.rpartition("<locals>.")[2]
