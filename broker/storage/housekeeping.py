"""What a node does from time to time, asked or not: flushes, checkpoints, retention, compaction.

Kafka has a scheduler of its own for this; here it is one more timer, so that a clock that stands
still leaves logs alone, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.config import Config
from broker.config.kinds import LONG_MAX
from broker.steps.offload import Offload
from broker.storage.log import Log
from broker.storage.log_cleaner import LogCleaner
from broker.storage.log_directory import HIGH_WATERMARKS, LOG_STARTS, RECOVERY_POINTS
from broker.storage.log_manager import LogManager
from broker.storage.retention import Retention
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

# How often logs that nobody writes to give back the memory of those that do.
_REST_CHECK_INTERVAL_MS = 60_000


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
        """Do it, and come back, also after an exception."""
        try:
            self._action()
        finally:
            self.delay_ms = self._period_ms
            self._timer.add(self)


class Once(TimerTask):
    """Does *action* after ``delay_ms``."""

    __slots__ = ("_action",)

    def __init__(
        self, timer: SystemTimer, action: Callable[[], object], *, delay_ms: float
    ) -> None:
        super().__init__(delay_ms)
        self._action = action
        timer.add(self)

    def run(self) -> None:
        """Do it."""
        self._action()


def keep_house(timer: SystemTimer, logs: LogManager, config: Config, offload: Offload) -> None:
    """Schedule a node's chores; the logs delete their files by *timer*, too.

    Checkpoints are never synced here. Logs in a temporary directory have them as well: their node
    may be stopped and started while the process lives.
    """

    def later(delay_ms: int, action: Callable[[], None]) -> None:
        Once(timer, action, delay_ms=delay_ms)

    def every(period_ms: int, action: Callable[[], object], *, delay_ms: int | None = None) -> None:
        delay_ms = period_ms if delay_ms is None else delay_ms
        if delay_ms < LONG_MAX:
            Periodic(timer, action, delay_ms=delay_ms, period_ms=period_ms)

    logs.later = later
    logs.on_error = timer.on_error
    logs.producer_id_expiration_ms = config.producer_id_expiration_ms
    initially_ms = config.log_initial_task_delay_ms
    every(
        config.log_retention_check_interval_ms,
        Retention(logs, later).look,
        delay_ms=initially_ms,
    )
    every(
        config.log_flush_scheduler_interval_ms,
        partial(logs.each, Log.flush_if_due),
        delay_ms=max(initially_ms, config.log_flush_scheduler_interval_ms),
    )
    every(max(1, config.log_cleaner_backoff_ms), LogCleaner(logs, later, offload).look)
    every(config.producer_id_expiration_check_interval_ms, partial(logs.each, Log.forget_producers))
    every(_REST_CHECK_INTERVAL_MS, partial(logs.each, Log.rest))
    for name, period_ms in (
        (HIGH_WATERMARKS, config.replica_high_watermark_checkpoint_interval_ms),
        (RECOVERY_POINTS, config.log_flush_offset_checkpoint_interval_ms),
        (LOG_STARTS, config.log_flush_start_offset_checkpoint_interval_ms),
    ):
        every(period_ms, partial(logs.checkpoint, [name]))
