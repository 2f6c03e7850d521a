"""Deletes old segments of all logs, a few per slice (``log.retention.*``).

The deletion of a segment takes 0.2 ms, since each of its files is renamed, and a lower retention
time may affect thousands of segments. Between two slices the event loop serves requests.
"""

from __future__ import annotations

from broker.steps.queue import Slices
from broker.storage.directories.log_manager import LogManager
from broker.storage.log.unified_log import UnifiedLog

SEGMENTS_AT_ONCE = 10
MANY = 1 << 62


def delete_all_old_segments(logs: LogManager, *, compacted: bool) -> Slices[None]:
    """Delete what retention allows, up to `SEGMENTS_AT_ONCE` of each log before the next log.

    Of the logs that are compacted, or else of the others.
    """
    unfinished: list[UnifiedLog] = []

    def delete(log: UnifiedLog) -> None:
        if log.config.is_compacted is not compacted:
            return
        if delete_old_segments(log, SEGMENTS_AT_ONCE) == SEGMENTS_AT_ONCE:
            unfinished.append(log)

    yield from logs.each(delete)
    while unfinished:
        among, unfinished = unfinished, []
        yield from logs.each(delete, among)


def delete_old_segments(log: UnifiedLog, most: int = MANY) -> int:
    """Delete up to *most* segments, oldest first, which retention or the log start offset allow.

    Returns how many were deleted. Raises `ApiError`. Kafka's ``UnifiedLog.deleteOldSegments``.
    """
    with log.storage_errors:
        segments, end = log.segments, log.log_end_offset
        now_ms = log.clock.wall_ms()
        count, start = segments.deletable(
            log.config, log.log_start_offset, log.high_watermark, end, now_ms, most
        )
        if not count:
            return 0
        if count == len(segments):
            log.roll()
        log.maybe_increment_log_start_offset(start)
        log.local_log.delete_first(count)
    return count
