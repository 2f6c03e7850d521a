"""Schedules the periodic work on a node's logs: flushes, checkpoints, retention and compaction.

The tasks and their intervals are those of Kafka's ``LogManager``. They are started by the node's
timer, so nothing is flushed, deleted or compacted while its clock is stopped, and run in slices.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from broker.common.clock import Clock
from broker.config import Config
from broker.config.kinds import LONG_MAX
from broker.steps.offload import Offload
from broker.steps.queue import StepQueue
from broker.steps.schedule import InSlices, schedule, schedule_once
from broker.storage.cleaner.log_cleaner import LogCleaner
from broker.storage.cleaner.rounds import CleanerRounds
from broker.storage.directories.checkpointed_offsets import (
    HIGH_WATERMARKS,
    LOG_STARTS,
    RECOVERY_POINTS,
)
from broker.storage.directories.log_manager import LogManager
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.retention import delete_all_old_segments
from purgatories.timer.system_timer import SystemTimer
from purgatories.timer.timer_task import TimerTask

# How often logs without recent appends release memory.
_UNLOAD_INTERVAL_MS = 60_000


def schedule_log_tasks(
    timer: SystemTimer, steps: StepQueue, logs: LogManager, config: Config, offload: Offload
) -> CleanerRounds:
    """Schedule the periodic work on *logs*, which also delete their files by *timer*.

    Returns the rounds of the cleaner, whose period may change.

    Checkpoints are never synced here. Logs in a temporary directory have checkpoints as well: their
    node may be stopped and started while the process lives.
    """

    def once(delay_ms: int, action: Callable[[], None]) -> TimerTask:
        return schedule_once(timer, action, delay_ms=delay_ms)

    def every(period_ms: int, action: Callable[[], object], *, delay_ms: int | None = None) -> None:
        delay_ms = period_ms if delay_ms is None else delay_ms
        if delay_ms < LONG_MAX:
            schedule(timer, action, delay_ms=delay_ms, period_ms=period_ms)

    def for_all(task: Callable[[UnifiedLog], None]) -> Callable[[], object]:
        return InSlices(timer, steps, partial(logs.each, task))

    logs.deletions.schedule_once = once
    logs.snapshot_writer.start = steps.start
    logs.on_error = timer.on_error
    logs.producer_config = config
    logs.delete_delay_ms = lambda: config.log_segment_delete_delay_ms
    initially_ms = config.log_initial_task_delay_ms
    every(
        config.log_retention_check_interval_ms,
        InSlices(timer, steps, partial(delete_all_old_segments, logs, compacted=False)),
        delay_ms=initially_ms,
    )
    every(
        config.log_flush_scheduler_interval_ms,
        for_all(_flush_if_due),
        delay_ms=max(initially_ms, config.log_flush_scheduler_interval_ms),
    )
    in_slices = partial(InSlices, timer, steps)
    cleaner = LogCleaner(logs, once, offload, in_slices)
    retention = in_slices(partial(delete_all_old_segments, logs, compacted=True))
    every(
        config.producer_id_expiration_check_interval_ms,
        for_all(partial(_remove_expired_producers, logs.clock)),
    )
    every(_UNLOAD_INTERVAL_MS, for_all(unload_if_idle))
    for name, period_ms in (
        (HIGH_WATERMARKS, config.replica_high_watermark_checkpoint_interval_ms),
        (RECOVERY_POINTS, config.log_flush_offset_checkpoint_interval_ms),
        (LOG_STARTS, config.log_flush_start_offset_checkpoint_interval_ms),
    ):
        every(period_ms, InSlices(timer, steps, partial(logs.checkpoint_in_slices, name)))
    return CleanerRounds(cleaner, [retention], timer, config)


def _flush_if_due(log: UnifiedLog) -> None:
    log.local_log.flush_if_due()


def _remove_expired_producers(clock: Clock, log: UnifiedLog) -> None:
    log.producer_state_manager.remove_expired(clock.wall_ms())


def unload_if_idle(log: UnifiedLog) -> None:
    """Release memory if nothing was written since the last call. Raises `ApiError`."""
    with log.storage_errors:
        log.local_log.unload_if_idle()
