"""Selects and compacts logs, the one with the largest dirty ratio first.

A log is due when the share that has not been compacted exceeds ``min.cleanable.dirty.ratio``, or
when a record in it is older than ``max.compaction.lag.ms``. Computations run in worker threads,
with pauses in between (Kafka's ``LogCleanerManager``).
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from broker.common.errors import ApiError
from broker.steps.offload import Inline, Job, Offload, Outcome
from broker.steps.queue import Slices, finish
from broker.steps.schedule import Action
from broker.storage.cleaner.compaction import STEP_BYTES, Compaction, Step
from broker.storage.directories.checkpointed_offsets import COMPACTED
from broker.storage.directories.log_manager import LogManager
from broker.storage.files.flusher import Flush
from broker.storage.log.local_log import ScheduleOnce
from broker.storage.log.unified_log import UnifiedLog
from broker.storage.log_config import LogConfig
from broker.storage.segments.segment import LogSegment

logger = logging.getLogger(__name__)

PAUSE_MS = 5


class Cleanable(NamedTuple):
    """The part of a log that can be compacted: from ``first_dirty`` up to ``end``."""

    log: UnifiedLog
    first_dirty: int
    end: int
    dirty_ratio: float
    is_overdue: bool

    @property
    def is_due(self) -> bool:
        """Whether the log should be compacted."""
        return self.is_overdue or self.dirty_ratio > self.log.config.min_cleanable_dirty_ratio


def cleanable(log: UnifiedLog, now_ms: int) -> Cleanable | None:
    """The part of *log* that can be compacted now; None if there is none.

    The active segment, records above the last stable offset, and those younger than
    ``min.compaction.lag.ms`` cannot be compacted. Raises `ApiError`.
    """
    config, first_dirty = log.config, log.first_dirty_offset
    dirty_bytes = clean_bytes = 0
    end, earliest_ms = first_dirty, now_ms
    with log.storage_errors:
        for segment, segment_end in log.segments.inactive():
            if segment_end <= first_dirty:
                clean_bytes += segment.size
                continue
            if segment_end > log.last_stable_offset or _is_too_young(segment, config, now_ms):
                break
            end = segment_end
            dirty_bytes += segment.size
            if segment.first_timestamp() > 0:
                earliest_ms = min(earliest_ms, segment.first_timestamp())
    if not dirty_bytes:
        return None
    ratio = dirty_bytes / (clean_bytes + dirty_bytes)
    is_overdue = now_ms - earliest_ms > config.max_compaction_lag_ms
    return Cleanable(log, first_dirty, end, ratio, is_overdue)


def _is_too_young(segment: LogSegment, config: LogConfig, now_ms: int) -> bool:
    """Whether ``min.compaction.lag.ms`` protects the segment; 0 protects none.

    Records whose timestamps are in the future have a negative age.
    """
    lag_ms = config.min_compaction_lag_ms
    return lag_ms > 0 and now_ms - segment.newest_ms() < lag_ms


def _at_once(work: Callable[[], Slices[None]]) -> Action:
    return lambda: finish(work())


class LogCleaner:
    """Compacts one log after another, in steps; its owner calls `start` periodically.

    *in_slices* makes an action that runs work; by default all of it at once.
    """

    def __init__(
        self,
        logs: LogManager,
        schedule_once: ScheduleOnce,
        offload: Offload | None = None,
        in_slices: Callable[[Callable[[], Slices[None]]], Action] = _at_once,
    ) -> None:
        self._logs = logs
        self._schedule_once = schedule_once
        self._offload = offload or Inline()
        self._begin_next = in_slices(self._select)
        self._compaction: Compaction | None = None
        self._steps: Iterator[Step] = iter(())
        self._job: Job[None] | None = None
        self._bytes_until_pause = STEP_BYTES
        # Logs that are compacted next, and what is called when that has ended.
        self._requested: deque[tuple[UnifiedLog, Callable[[], object]]] = deque()
        self._done: Callable[[], object] | None = None
        # Logs whose last compaction failed: until a restart, only `compact_now` compacts them.
        # Kafka's ``uncleanablePartitions`` are names, from which deleted partitions are removed.
        self._uncleanable: set[UnifiedLog] = set()

    def has_failed(self, log: UnifiedLog) -> bool:
        """Whether the last compaction of *log* has failed."""
        return log in self._uncleanable

    def compact_now(self, log: UnifiedLog, done: Callable[[], object]) -> None:
        """Compact *log* next, due or not, without pauses; *done* is called when that has ended.

        The computations run in worker threads all the same.
        """
        self._requested.append((log, done))
        self.start()

    def start(self) -> None:
        """Compact the due log with the largest dirty ratio, unless a compaction is running."""
        self._begin_next()

    def _select(self) -> Slices[None]:
        """Begin compactions, which may end at once, until one runs or none is due."""
        while self._compaction is None:
            found = self._next_requested()
            if found is None:
                found = yield from self._dirtiest()
            if found is not None:
                now_ms = self._logs.clock.wall_ms()
                self._compaction = Compaction(found.log, found.first_dirty, found.end, now_ms)
                self._steps = self._compaction.steps()
                self._uncleanable.discard(found.log)
                self._work()
            elif not self._requested:
                return

    def _next_requested(self) -> Cleanable | None:
        """The next log that `compact_now` was called for and that can be compacted."""
        while self._requested:
            log, done = self._requested.popleft()
            found = self._cleanable(log)
            if found is not None:
                self._done = done
                return found
            done()
        return None

    def _cleanable(self, log: UnifiedLog) -> Cleanable | None:
        """What can be compacted of *log*, if it has not been deleted and is to be compacted."""
        if self._is_open(log) and log.config.is_compacted:
            with suppress(ApiError):
                return cleanable(log, self._logs.clock.wall_ms())
        return None

    def _is_open(self, log: UnifiedLog) -> bool:
        """Whether *log* has not been deleted."""
        return self._logs.get(log.topic_partition) is log

    def _dirtiest(self) -> Slices[Cleanable | None]:
        due: list[Cleanable] = []
        self._uncleanable = set(filter(self._is_open, self._uncleanable))
        now_ms = self._logs.clock.wall_ms()

        def examine(log: UnifiedLog) -> None:
            if log.config.is_compacted and log not in self._uncleanable:
                found = cleanable(log, now_ms)
                if found is not None and found.is_due:
                    due.append(found)

        yield from self._logs.each(examine)
        dirtiest = max(due, key=lambda each: each.dirty_ratio, default=None)
        # It may have changed since it was examined.
        return None if dirtiest is None else self._cleanable(dirtiest.log)

    def _work(self) -> None:
        """Take steps until one must be waited for; it calls this method again."""
        if self._compaction is None:
            return
        log = self._compaction.log
        if not self._is_open(log):
            self._end()
            return
        try:
            with log.storage_errors:
                for step in self._steps:
                    if self._waits_for(step):
                        return
        except ApiError as error:
            logger.warning("%s is no longer compacted: %s", log.topic_partition, error)
            self._uncleanable.add(log)
        except Exception as error:
            self._logs.on_error(f"compaction of {log.topic_partition}", error)
            self._uncleanable.add(log)
        self._logs.checkpoint([COMPACTED], [log.topic_partition])
        self._end()

    def _end(self) -> None:
        """End the present compaction, and begin the next one."""
        compaction, self._compaction = self._compaction, None
        assert compaction is not None
        with suppress(ApiError), compaction.log.storage_errors:
            compaction.close()
        done, self._done = self._done, None
        if done is not None:
            done()
        self.start()

    def _waits_for(self, step: Step) -> bool:
        if isinstance(step, Flush):
            self._logs.sync(step, self._synced)
            return True
        self._bytes_until_pause -= step.size_bytes
        job = self._offload.run(step.run, self._computed)
        if job.is_pending:
            self._job = job
            return True
        return self._pauses()

    def _computed(self, _: Outcome[None]) -> None:
        """Continue after a computation in a worker thread."""
        if self._job is not None:
            self._job = None
            if not self._pauses():
                self._work()

    def _pauses(self) -> bool:
        if self._bytes_until_pause > 0 or self._done is not None:
            return False
        self._bytes_until_pause = STEP_BYTES
        self._schedule_once(PAUSE_MS, self._work)
        return True

    def _synced(self, error: OSError | None) -> None:
        if error is not None and self._compaction is not None:
            with suppress(ApiError), self._compaction.log.storage_errors:
                raise error
        self._work()
