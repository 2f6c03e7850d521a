"""Actions that a timer runs once or periodically (Kafka's ``Scheduler``).

The timer reads the broker's clock: while that clock is stopped, no action runs.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.steps.queue import Slices, StepQueue
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

Action = Callable[[], object]


def schedule(timer: SystemTimer, action: Action, *, delay_ms: float, period_ms: float) -> TimerTask:
    """Run *action* after ``delay_ms``, and then every ``period_ms``, also after an exception."""
    task = _PeriodicTask(timer, action, delay_ms, period_ms)
    timer.add(task)
    return task


def schedule_once(timer: SystemTimer, action: Action, *, delay_ms: float) -> TimerTask:
    """Run *action* after ``delay_ms``, unless the task is cancelled before."""
    task = ScheduledTask(action, delay_ms)
    timer.add(task)
    return task


class InSlices:
    """An action that starts ``work``, or does nothing while that of an earlier start runs.

    The work ends when *timer* is closed.
    """

    def __init__(
        self, timer: SystemTimer, steps: StepQueue, work: Callable[[], Slices[None]]
    ) -> None:
        self.work = work
        self._timer = timer
        self._steps = steps
        self._is_running = False

    def __call__(self) -> None:
        """Start the work."""
        if not self._is_running:
            self._is_running = True
            self._steps.start(self._run())

    def _run(self) -> Slices[None]:
        try:
            for signal in self.work():
                yield signal
                if self._timer.is_closed:
                    return
        finally:
            self._is_running = False


class ScheduledTask(TimerTask):
    """Runs ``action`` once."""

    __slots__ = ("action",)

    def __init__(self, action: Action, delay_ms: float) -> None:
        super().__init__(delay_ms)
        self.action = action

    def run(self) -> None:
        """Run the action."""
        self.action()


class _PeriodicTask(ScheduledTask):
    __slots__ = ("_period_ms", "_timer")

    def __init__(
        self, timer: SystemTimer, action: Action, delay_ms: float, period_ms: float
    ) -> None:
        super().__init__(action, delay_ms)
        self._timer = timer
        self._period_ms = period_ms

    def run(self) -> None:
        try:
            self.action()
        finally:
            self.delay_ms = self._period_ms
            self._timer.add(self)
