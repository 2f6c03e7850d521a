"""Deletes old segments of all logs, a few per step (``log.retention.*``).

The deletion of a segment takes 0.2 ms, since each of its files is renamed, and a lower retention
time may affect thousands of segments. Between two steps the event loop serves requests.
"""

from __future__ import annotations

from broker.storage.local_log import ScheduleOnce
from broker.storage.log_manager import LogManager
from broker.storage.unified_log import UnifiedLog

SEGMENTS_PER_STEP = 20
PAUSE_MS = 1
MANY = 1 << 62


class Retention:
    """Checks all logs when `start` is called, in steps until no segment is left to delete."""

    def __init__(self, logs: LogManager, schedule_once: ScheduleOnce) -> None:
        self._logs = logs
        self._schedule_once = schedule_once
        self._left = 0  # segments that may still be deleted in this step
        self._is_running = False

    def start(self) -> None:
        """Delete what retention allows, unless a deletion is running."""
        if not self._is_running:
            self._step()

    def _step(self) -> None:
        self._left = SEGMENTS_PER_STEP
        self._logs.each(self._delete)
        self._is_running = not self._left
        if self._is_running:
            self._schedule_once(PAUSE_MS, self._step)

    def _delete(self, log: UnifiedLog) -> None:
        if self._left:
            self._left -= delete_old_segments(log, self._left)


def delete_old_segments(log: UnifiedLog, most: int = MANY) -> int:
    """Delete up to *most* segments, oldest first, which retention or the log start offset allow.

    Returns how many were deleted. Raises `ApiError`. Kafka's ``UnifiedLog.deleteOldSegments``.
    """
    with log.storage_errors:
        segments, end = log.segments, log.log_end_offset
        now_ms = log.clock.wall_ms()
        count, start = segments.deletable(
            log.config, log.log_start_offset, log.high_watermark, end, now_ms
        )
        if not count:
            return 0
        if count > most:
            count, start = most, segments.base_offsets[most]
        elif count == len(segments):
            log.roll()
        log.maybe_increment_log_start_offset(start)
        log.local_log.delete_first(count)
    return count
