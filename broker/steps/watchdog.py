"""Measures every step of the loop: from the moment trio resumes a task until the task yields.

    after_io_wait | before_task_step ... after_task_step | before_task_step ... | after_io_wait
                  `------- one step, timed ------------'
                  `------------------- one pass of the loop -------------------'

trio calls it before and after each step (`broker.steps.measured_loop`), so tasks need no code for
it.
"""

from __future__ import annotations

from collections.abc import Callable

import trio

from broker.steps.aftermath import Aftermath
from broker.steps.limits import STEP_BUDGET_MS
from broker.steps.queue import StepQueue
from broker.steps.stalls import Stall, Stalls


class Watchdog:
    """Reports steps over budget to *stalls*; *steps* has the request whose work runs.

    *now_ms* is the clock of all waits: a step that other processes interrupt takes longer.
    """

    def __init__(self, steps: StepQueue, stalls: Stalls, now_ms: Callable[[], float]) -> None:
        self._steps = steps
        self._stalls = stalls
        self._now_ms = now_ms
        self._started_ms = now_ms()
        self._task: trio.lowlevel.Task | None = None
        self._aftermath = Aftermath(stalls)

    @property
    def is_settled(self) -> bool:
        """Whether no step over budget has an aftermath, whose passes are counted."""
        return self._stalls.aftermath is None

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        """A step begins."""
        self._task = task
        self._started_ms = self._now_ms()

    def after_task_step(self, task: trio.lowlevel.Task) -> None:
        """The step has ended."""
        ended_ms = self._now_ms()
        took_ms = ended_ms - self._started_ms
        steps = self._steps
        if took_ms > STEP_BUDGET_MS:
            self._stalls.add(Stall(ended_ms, took_ms, task.name, steps.request))
            self._aftermath.begin()
        steps.request = None

    def pause(self) -> None:
        """End the step of the running task, which waits without the loop."""
        assert self._task is not None, "a task runs"
        self.after_task_step(self._task)

    def resume(self) -> None:
        """Begin a step of the running task, which continues."""
        self._started_ms = self._now_ms()
