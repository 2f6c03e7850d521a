"""What a node does from time to time, whoever asks or not: checkpoints, and retention.

Kafka has a scheduler of its own for this; here it is one more timer, so that a clock that stands
still leaves logs alone, too.
"""

from __future__ import annotations

from collections.abc import Callable

from broker.config import Config
from broker.storage.log_manager import LogManager
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask


class Periodic(TimerTask):
    """Does *action* every ``period_ms``, for the first time after ``delay_ms``."""

    __slots__ = ("_action", "_period_ms", "_timer")

    def __init__(
        self, timer: SystemTimer, action: Callable[[], object], *, delay_ms: int, period_ms: int
    ) -> None:
        super().__init__(delay_ms)
        self._timer = timer
        self._action = action
        self._period_ms = period_ms
        timer.add(self)

    def run(self) -> None:
        """Do it, and come back."""
        self._action()
        self.delay_ms = self._period_ms
        self._timer.add(self)


def keep_house(timer: SystemTimer, logs: LogManager, config: Config) -> None:
    """Schedule a node's chores."""

    def remove_old_segments() -> None:
        for log in logs:
            log.delete_old_segments()

    Periodic(
        timer,
        remove_old_segments,
        delay_ms=config.log_initial_task_delay_ms,
        period_ms=config.log_retention_check_interval_ms,
    )
    period_ms = config.replica_high_watermark_checkpoint_interval_ms
    Periodic(timer, logs.checkpoint, delay_ms=period_ms, period_ms=period_ms)
