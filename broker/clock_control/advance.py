"""What happened while the clock was moved forwards: the tasks that ran, and the responses."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import partial
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
        """Begin a step: the clock has moved to *now_ms*."""
        self._step = Step(now_ms - self.began_ms)

    def end_step(self, responses: Sequence[WaitRecord]) -> None:
        """End the step, because the loop is idle; *responses* are the requests that have ended."""
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
    """The kind of *task*, and the key of those that only differ in it; an action in words."""
    if isinstance(task, ScheduledTask):
        return _words_of(task.action)
    if isinstance(task, CoordinatorTimeout):
        key = task.key if isinstance(task.key, tuple) else (task.key,)
        return f"{kind_of(task)} {printable(' '.join(map(_text, key)))}"
    return kind_of(task)


def _text(part: object) -> str:
    return str(getattr(part, "value", part))


def _words_of(action: object) -> str:
    """What *action* does: ``log manager: checkpoint`` for ``LogManager.checkpoint_in_slices``."""
    if isinstance(action, InSlices):
        return _words_of(action.work)
    if isinstance(action, partial):
        # A function that applies another one, as `LogManager.each`, is named by that.
        is_applied = bool(action.args) and callable(action.args[0])
        return _words_of(action.args[0] if is_applied else action.func)
    qualified = str(getattr(action, "__qualname__", type(action).__name__))
    owner, name = qualified.partition(".")[0], qualified.rpartition(".")[2]
    is_method = owner != name and owner.strip("_")[:1].isupper()
    named = [each for each in (owner if is_method else "", name) if each not in ("", "<lambda>")]
    return ": ".join(map(_words, named)) or "a task"


def _words(name: str) -> str:
    """A name of Python as words: ``LogManager`` and ``log_manager`` are ``log manager``."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.strip("_").removesuffix("_in_slices"))
    return apart.replace("_", " ").lower()
