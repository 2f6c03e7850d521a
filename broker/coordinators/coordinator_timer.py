"""Timeouts with a key: scheduling a key again replaces its timeout (``CoordinatorTimer``)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

from purgatories.action_queue import ActionQueue
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

RETRY_BACKOFF_MS = 500  # as in Kafka: after an action that has raised an exception


class CoordinatorTimer:
    """The scheduled timeouts, by key.

    *actions* runs after each timeout, because no request ends then.
    """

    def __init__(self, timer: SystemTimer, actions: ActionQueue) -> None:
        self._timer = timer
        self._actions = actions
        # Invariant: tasks[task.key] is task, for each that has neither run nor been cancelled.
        self._tasks: dict[Hashable, CoordinatorTimeout] = {}

    def schedule(self, key: Hashable, delay_ms: float, action: Callable[[], object]) -> None:
        """Run *action* after *delay_ms*; cancels the timeout that *key* has.

        An action that raises an exception is retried after `RETRY_BACKOFF_MS`.
        """
        self.cancel(key)
        task = self._tasks[key] = CoordinatorTimeout(
            self._timer, self._actions, self._tasks, key, delay_ms, action
        )
        self._timer.add(task)

    def schedule_if_absent(
        self, key: Hashable, delay_ms: float, action: Callable[[], object]
    ) -> None:
        """Run *action* after *delay_ms*, unless *key* has a timeout."""
        if key not in self._tasks:
            self.schedule(key, delay_ms, action)

    def cancel(self, key: Hashable) -> None:
        """Cancel the timeout of *key*, if it has one."""
        task = self._tasks.pop(key, None)
        if task is not None:
            task.cancel()

    def scheduled(self) -> Iterator[tuple[Hashable, TimerTask]]:
        """The keys that have timeouts, and the tasks of these."""
        return iter(self._tasks.items())

    def is_scheduled(self, key: Hashable) -> bool:
        """Whether *key* has a timeout."""
        return key in self._tasks


class CoordinatorTimeout(TimerTask):
    """The timeout of ``key``."""

    __slots__ = ("_action", "_actions", "_tasks", "_timer", "key")

    def __init__(
        self,
        timer: SystemTimer,
        actions: ActionQueue,
        tasks: dict[Hashable, CoordinatorTimeout],
        key: Hashable,
        delay_ms: float,
        action: Callable[[], object],
    ) -> None:
        super().__init__(delay_ms)
        self._timer = timer
        self._actions = actions
        self._tasks = tasks
        self.key = key
        self._action = action

    def run(self) -> None:
        """Run the action, unless it was cancelled or replaced after the timer took the task out."""
        if self._tasks.get(self.key) is not self:
            return
        del self._tasks[self.key]
        try:
            self._action()
        except Exception:
            if self.key not in self._tasks:
                self.delay_ms = float(RETRY_BACKOFF_MS)
                self._tasks[self.key] = self
                self._timer.add(self)
            raise
        finally:
            self._actions.try_complete_actions()
