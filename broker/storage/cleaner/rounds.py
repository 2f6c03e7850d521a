"""Starts a round of the cleaner every ``log.cleaner.backoff.ms``, unless it is disabled.

A round compacts the logs that are due, and deletes old segments of compacted logs: the retention
task leaves these to the cleaner (Kafka's ``LogCleaner.cleanFilthiestLog``).
"""

from __future__ import annotations

from collections.abc import Sequence

from broker.config import Config
from broker.config.kinds import LONG_MAX
from broker.steps.schedule import Action, schedule
from broker.storage.cleaner.log_cleaner import LogCleaner
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class CleanerRounds:
    """The rounds of a node's *cleaner*, each of which runs it and the *others*."""

    def __init__(
        self, cleaner: LogCleaner, others: Sequence[Action], timer: SystemTimer, config: Config
    ) -> None:
        self.cleaner = cleaner
        self._actions = (cleaner.start, *others)
        self._timer = timer
        self._config = config
        self._period_ms: int | None = None
        self._task: TimerTask | None = None
        self.reconfigured()

    def reconfigured(self) -> None:
        """Wait for a changed ``log.cleaner.backoff.ms`` from now on."""
        period_ms = max(1, self._config.log_cleaner_backoff_ms)
        if period_ms == self._period_ms or not self._config.log_cleaner_enable:
            return
        self._period_ms = period_ms
        if self._task is not None:
            self._task.cancel()
            self._task = None
        if period_ms < LONG_MAX:
            self._task = schedule(self._timer, self._run, delay_ms=period_ms, period_ms=period_ms)

    def _run(self) -> None:
        for action in self._actions:
            action()
